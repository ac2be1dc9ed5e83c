// Cordoned nodes that would take pods that wait. `base` has the pods that fit without them; `now` says where
// these are.
//
// Threads: pure functions on a fork. Errors: none; the budget may end.
#pragma once

#include <vector>

#include "explain/answer/budget.h"
#include "explain/answer/waiting.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// The cordoned nodes to uncordon so that at least `least` pods are placed on all nodes together. A few trials
// leave out nodes that are not needed, so the list may be longer than necessary. Empty: no list is enough, or
// the budget has ended.
std::vector<cluster::Row> cordoned_to_use(const Waiters& waiters, std::size_t least, const Budget& budget,
                                          const cluster::Snapshot& base, const Places& now);

// A copy in which no node is cordoned.
cluster::Snapshot all_uncordoned(const cluster::Snapshot& base);

// The most pods that are placed if all nodes are uncordoned. 0: the budget has ended.
std::size_t placed_uncordoned(const Waiters& waiters, const Budget& budget, const cluster::Snapshot& base,
                              const Places& now);

}  // namespace podium::explain
