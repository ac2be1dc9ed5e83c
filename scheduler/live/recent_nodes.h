// RecentNodes: makes equal lists of nodes one list. Nodes of an instance type have equal capacities, and most
// nodes have equal conditions.
//
// Keeps some lists of nodes that are gone: at most 4 lists of 4 KiB for each of 64 nodes.
// Owner: the ClusterFeed. Threads: one at a time. Errors: none.
#pragma once

#include <array>
#include <cstddef>

#include "api/values/node.h"

namespace podium::live {

class RecentNodes {
 public:
  // A copy of the node, with the lists of earlier nodes that are equal to its own.
  api::NodePtr shared(const api::Node& node);

 private:
  static constexpr std::size_t kMost = 64;
  std::array<api::Node, kMost> samples_;  // by instance type; only their lists
};

}  // namespace podium::live
