// The price of a pod: the part of the cheapest new node that it needs, by the resource of which it needs the
// largest part. The sum over the pods of a node says how well they use the node's price.
//
// Threads: pure functions on a fork. Errors: none; the budget may end.
#pragma once

#include <vector>

#include "explain/answer/budget.h"
#include "explain/answer/waiting.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// An empty node, and its price in any unit.
struct PricedNode {
  cluster::Row row;
  double price;
};

// Returns a price above 0 for each kind of the waiters. Counts the nodes on which the pod fits; if it fits on
// none now, those that have as much as it asks for. The nodes are in the fork. If the budget ends, the rest
// is 0.
std::vector<double> pod_prices(const Waiters& waiters, const std::vector<PricedNode>& nodes,
                               const Budget& budget, const cluster::Snapshot& fork);

}  // namespace podium::explain
