// How many replicas fit if the pods that they would preempt are evicted.
//
// Threads: pure functions on one fork. Errors: none.
#pragma once

#include <optional>

#include "explain/answer/placing.h"
#include "explain/report/what_if_parts.h"

namespace podium::explain {

// `placed`: without evictions, from the same fork. nullopt: no more fit with them. Tries kMostPreempting.
std::optional<WithPreemption> count_with_preemption(const Replicas& replicas, Count count,
                                                    const Placed& placed, cluster::Snapshot fork);

}  // namespace podium::explain
