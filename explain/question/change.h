// Change: one entry of a what-if's spec.changes, which explain/answer/changes.h applies to the fork.
//
// Threads: values and pure functions. Errors: problems with their paths.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode/manifests.h"
#include "api/values/node.h"
#include "api/values/objects.h"
#include "explain/question/question_limits.h"
#include "explain/question/spec_reader.h"
#include "explain/workload/workload.h"

namespace podium::explain {

struct Change {
  enum class Type : std::uint8_t {
    add_nodes,
    remove_node,
    cordon_node,
    uncordon_node,
    drain_node,
    drain_nodes,
    fail_nodes,
    taint_node,
    untaint_node,
    label_node,
    delete_pods,
    add_pods,
    add_claims,
    add_objects
  };
  Type type = Type::add_nodes;
  std::string node_name;                   // the changed node
  std::vector<std::string> node_names;     // DrainNodes, FailNodes
  bool then_uncordon = false;              // DrainNodes: they return empty
  std::string like;                        // AddNodes: the node to copy
  std::optional<api::Node> node;           // AddNodes: a template instead
  std::optional<std::int32_t> count;       // AddNodes: 1; AddPods: as many as the workload has
  api::Taint taint;                        // TaintNode
  std::string key;                         // UntaintNode
  std::optional<api::TaintEffect> effect;  // UntaintNode; nullopt: of every effect
  std::vector<std::pair<std::string, std::optional<std::string>>> labels;  // LabelNode; nullopt: remove
  // DeletePods: of the namespace of the what-if. FailNodes, without node_names: of nodes.
  api::LabelSelector selector;
  std::optional<Subject> workload;                 // AddPods
  std::vector<api::PersistentVolumeClaim> claims;  // AddClaims
  api::Manifests objects;                          // AddObjects
};

std::string_view to_string(Change::Type);
bool is_drain(Change::Type);      // of one node, of several, or their failure
bool is_of_a_node(Change::Type);  // it has a nodeName

api::Taint read_taint(const boost::json::value& value, const FieldPath& path, Problems& problems);

// Reads spec.changes[i]. `ns`: the what-if's namespace. A change of pods or claims may name no other.
Change read_change(const boost::json::value& value, const FieldPath& path, const std::string& ns,
                   Problems& problems);

}  // namespace podium::explain
