// The part of an answer about a replica that does not fit.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>

#include "explain/answer/placing.h"
#include "explain/report/report.h"

namespace podium::explain {

inline constexpr std::size_t kReasonBytes = 1024;  // of the CRD's schema

// `failed`: the report of the replica's decision.
FirstFailure failure_of(const ReplicaSeen& seen, const ReportStatus& failed);

}  // namespace podium::explain
