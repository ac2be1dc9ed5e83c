// NodeSearch: how many nodes of a large cluster are looked at for one pod (percentageOfNodesToScore), and
// which ones.
//
// Nodes are tried one after the other, from a start on that moves on from pod to pod, until enough of them
// fit. A profile without a NodeSearch, which is podium's default, has all nodes evaluated and asks for
// nothing of this.
//
// Threads: pure functions. Source: pkg/scheduler/schedule_one.go findNodesThatPassFilters, numFeasibleNodesToFind;
// pkg/scheduler/backend/cache/node_tree.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/cluster/snapshot.h"

namespace podium::framework {

struct NodeSearch {
  std::int32_t percentage = 0;  // 1..99; 0: the adaptive rule, 50% and less the more nodes there are, and 5%
                                // at least
  bool one_is_enough = false;   // nothing scores the nodes that fit, and no extender narrows them down

  std::size_t nodes_to_find(std::size_t of_nodes) const;
  bool operator==(const NodeSearch&) const = default;
};

// All nodes in the order in which a search goes around: by turns from each zone, and by name in a zone. It is
// the order of a kube-scheduler that was just started; one that has run for a while has nodes in the order in
// which they came.
std::vector<cluster::Row> rows_round_robin(const cluster::Snapshot& snapshot);

struct SearchRange {
  std::vector<cluster::Row> tried;  // in order
  std::vector<cluster::Row> left;   // never looked at
};

// Goes through `rows` from `start` on, around the end, until one more than `wanted` of them is feasible: that
// one is looked at by nobody any more, while those before it that do not fit have been.
SearchRange search(std::vector<cluster::Row> rows, std::size_t start, std::size_t wanted,
                   const cluster::NodeMask& feasible);

}  // namespace podium::framework
