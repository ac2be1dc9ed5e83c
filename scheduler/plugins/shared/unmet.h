// Unmet: the number of nodes that meet each part of a pod's node selector and required node affinity.
//
// As in kube-scheduler, NodeAffinity's reason does not name a part. For reports, the parts are counted from
// the same columns.
// Threads: a pure function. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/pod.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::plugins {

struct SelectorPart {
  enum class From {
    node_name,  // spec.nodeName, if there is no such node
    node_selector,
    node_affinity,       // a requirement of the only term
    node_affinity_term,  // one of several terms, any of which suffices
  };
  From from = From::node_selector;
  std::string text;       // "disk=ssd", "arch In [arm64]"; the requirements of a term are joined by ", "
  std::size_t nodes = 0;  // that meet it, regardless of the other parts
  // If no node meets a part about one label: the values that nodes have, the most frequent first.
  std::vector<std::string> values = {};  // at most kValuesNamed
  std::size_t values_total = 0;
  // The node that it names and that does not exist. Of the first one: `values` are similar names.
  std::string missing_node = {};
  std::string missing_key = {};        // the label of the part that no node has
  std::vector<std::string> near = {};  // keys that resemble missing_key, else values that resemble the part's
};
inline constexpr std::size_t kSelectorParts = 8, kValuesNamed = 5, kNearNamed = 3;

// A part that one node does not meet.
struct UnmetPartOfNode {
  SelectorPart::From from = SelectorPart::From::node_selector;
  std::string text;      // as above
  std::string key = {};  // the label that fails it; of a term, the first one; empty: no single label
  std::optional<std::string> value = {};  // that the node has for it; nullopt: it does not have the label
};

// The names that resemble the typed one, also if their case differs; the nearest first, at most kNearNamed.
// None of too many names.
std::vector<std::string> resembling(std::string_view typed, const std::vector<std::string>& names);
// "arch In [arm64]"
std::string requirement_text(const api::Requirement&);
// The names of nodes that resemble this one, the nearest first; at most kValuesNamed.
std::vector<std::string> similar_nodes(std::string_view name, const cluster::Snapshot& snapshot);

// The keys that resemble this one, or have its name after another prefix; at most kNearNamed.
std::vector<std::string> similar_keys(std::string_view key, const std::vector<std::string>& keys);
// Those of the labels of nodes.
std::vector<std::string> similar_labels(std::string_view key, const cluster::Snapshot& snapshot);

// At most kSelectorParts, in the pod's order. The requirements of a single term are parts of their own; of
// several terms, any of which suffices, each term is one part.
std::vector<SelectorPart> selector_parts(const api::Pod& pod, const cluster::Snapshot& snapshot);
// At most kSelectorParts, in the same order. If one of several terms is met, none of the terms is listed.
std::vector<UnmetPartOfNode> unmet_on(const api::Pod& pod, cluster::Row row,
                                      const cluster::Snapshot& snapshot);

}  // namespace podium::plugins
