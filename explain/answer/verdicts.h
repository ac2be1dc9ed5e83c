// Verdicts on the nodes that a what-if names, regardless of rank, and whether a group fits together.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "explain/answer/placing.h"
#include "explain/report/what_if_parts.h"

namespace podium::explain {

// The verdicts on these nodes, in their order, of a replica that was seen before its placement; those that
// the budget leaves time for. The first kMostChecked have their checks.
std::vector<NodeVerdict> verdicts_on(const std::vector<std::string>& nodes, const ReplicaSeen& seen,
                                     const framework::Profile& profile, const Budget& budget);

// Returns whether min_count replicas fit in one domain of the key, as if each had a nodeSelector with the
// domain. If several domains fit, `preferred` comes first. Without a key: in the whole cluster, in which
// `fitting` fit.
GroupAnswer group_answer(const Replicas& replicas, std::int32_t min_count, const std::string& topology_key,
                         std::int32_t fitting, const std::string& preferred, const cluster::Snapshot& fork);

}  // namespace podium::explain
