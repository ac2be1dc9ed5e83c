// The shapes of a large catalogue that a search need not try: another shape costs no more and takes as much,
// such as the same size of a newer generation.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <vector>

#include "explain/answer/budget.h"
#include "explain/answer/node_shapes.h"
#include "explain/answer/pod_prices.h"
#include "explain/answer/waiting.h"

namespace podium::explain {

// Returns for each shape whether to skip it. Compares all labels if the place of a pod may follow from them
// (volumes, claims); else those that constraints between the pods are about. `prices`: of one node of each
// shape, in their order. If the budget ends, the rest is not skipped.
std::vector<bool> needless_shapes(const KnownShapes& shapes, const PodPrices& prices, const Waiters& waiters,
                                  const Budget& budget);

}  // namespace podium::explain
