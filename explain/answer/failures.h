// The part of an answer about a replica that does not fit.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>

#include "explain/answer/placing.h"
#include "explain/report/each_field.h"
#include "explain/report/report.h"

namespace podium::explain {

inline constexpr std::size_t kReasonBytes = bound_of(&FirstFailure::reason).bytes;

// `failed`: the report of the replica's decision.
FirstFailure failure_of(const ReplicaSeen& seen, const ReportStatus& failed);

// The pods of a DaemonSet are for one node each. Removes what a report says about the other nodes.
void keep_own_node(ReportStatus& failed);
// Adds the rejections of another of its pods, so that the failure is about all nodes without a place.
void add_node(const ReportStatus& failed, FirstFailure& failure);

}  // namespace podium::explain
