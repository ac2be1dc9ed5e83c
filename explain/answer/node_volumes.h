// The volumes of claims that are on one node: their data goes with it, also if no pod uses them now.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <map>

#include "explain/answer/budget.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// By node: a claim whose volume requires this node, by its host name or by a label whose value is the node's
// name. Those that there is time for.
std::map<cluster::Row, cluster::ObjectKey> claims_of_one_node(const cluster::Snapshot& snapshot,
                                                              const Budget& budget);

}  // namespace podium::explain
