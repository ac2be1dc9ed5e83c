// Verdicts on the nodes that a what-if names, whatever their rank, and whether a group fits together.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "explain/answer/placing.h"
#include "explain/report/answer.h"

namespace podium::explain {

// The verdict of this decision on a node.
NodeVerdict verdict_on(const std::string& node, const framework::Decision& decision,
                       const cluster::Snapshot& fork);

// Whether min_count replicas fit in one domain of the key, as if each had a nodeSelector with the domain.
// Where several fit, `preferred` goes before others. Without a key: in the cluster, where `fitting` fit.
GroupAnswer group_answer(const Replicas& replicas, std::int32_t min_count, const std::string& topology_key,
                         std::int32_t fitting, const std::string& preferred, const cluster::Snapshot& fork);

}  // namespace podium::explain
