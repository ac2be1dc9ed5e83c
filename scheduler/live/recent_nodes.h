// RecentNodes: makes equal lists of nodes one list. Nodes of an instance type have equal capacities, most
// nodes have equal conditions, and an image has the same names on each node that has it.
//
// Keeps some lists of nodes that are gone: at most 4 lists of 4 KiB for each of 64 nodes, and the names of
// 2,048 images of 4 KiB each.
// Owner: the ClusterFeed. Threads: one at a time. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "api/values/node.h"
#include "api/values/shared_list.h"

namespace podium::live {

class RecentNodes {
 public:
  // A copy of the node, with the lists of earlier nodes that are equal to its own.
  api::NodePtr shared(const api::Node& node);

 private:
  static constexpr std::size_t kMost = 64, kImages = 2'048;
  std::array<api::Node, kMost> samples_;                      // by instance type; only their lists
  std::array<api::SharedList<std::string>, kImages> images_;  // the names, by the first one
};

}  // namespace podium::live
