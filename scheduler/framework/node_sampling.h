// NodeSampling: which nodes of a large cluster are evaluated for one pod (percentageOfNodesToScore).
//
// Nodes are tried in round-robin order from a start that advances from pod to pod, until enough of them fit.
// Podium's default is a profile without a NodeSampling, which evaluates all nodes.
//
// Threads: pure functions.
// Source: pkg/scheduler/schedule_one.go findNodesThatPassFilters, numFeasibleNodesToFind;
// pkg/scheduler/backend/cache/node_tree.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/cluster/node_mask.h"

namespace podium::cluster {
class Snapshot;
}

namespace podium::framework {

struct NodeSampling {
  std::int32_t percentage = 0;  // 1..99; 0: adaptive, max(5, 50 - nodes / 125)
  bool one_is_enough = false;   // neither Score plugins nor extenders choose among feasible nodes

  std::size_t nodes_to_find(std::size_t of_nodes) const;
  bool operator==(const NodeSampling&) const = default;
};

// All nodes in search order: round-robin over the zones, by name within a zone. A freshly started
// kube-scheduler has this order; one that has run for a while orders a zone's nodes by arrival.
std::vector<cluster::Row> rows_round_robin(const cluster::Snapshot& snapshot);

struct SearchRange {
  std::vector<cluster::Row> tried;  // in search order
  std::vector<cluster::Row> left;   // not evaluated
};

// Walks `rows` from `start`, wrapping around, until `wanted` feasible rows are found, and further to the next
// feasible one. That one and the rest are not evaluated; infeasible rows before it are.
SearchRange search(std::vector<cluster::Row> rows, std::size_t start, std::size_t wanted,
                   const cluster::NodeMask& feasible);

}  // namespace podium::framework
