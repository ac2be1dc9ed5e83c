// Unmet: the number of nodes that meet each part of a pod's node selector and required node affinity.
//
// As in kube-scheduler, NodeAffinity's reason does not name a part. For reports, the parts are counted from
// the same columns.
// Threads: a pure function. Errors: none.
#pragma once

#include <cstddef>
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
  std::string missing_node = {};  // the node that it names and that does not exist; `values`: similar names
};
inline constexpr std::size_t kSelectorParts = 8, kValuesNamed = 5;

// "arch In [arm64]"
std::string requirement_text(const api::Requirement&);
// The names of nodes that resemble this one, the nearest first.
std::vector<std::string> similar_nodes(std::string_view name, const cluster::Snapshot& snapshot);

// At most kSelectorParts, in the pod's order. The requirements of a single term are parts of their own; of
// several terms, any of which suffices, each term is one part.
std::vector<SelectorPart> selector_parts(const api::Pod& pod, const cluster::Snapshot& snapshot);

}  // namespace podium::plugins
