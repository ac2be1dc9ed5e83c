// The volumes that are bound to one node: their data goes with it, also if no pod uses them now.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <map>

#include "explain/answer/budget.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// By node: one of the claims whose volume no other node can have, since a label that the volume requires is
// on this node only. Those that there is time for.
std::map<cluster::Row, cluster::ObjectKey> claims_of_one_node(const cluster::Snapshot& snapshot,
                                                              const Budget& budget);

}  // namespace podium::explain
