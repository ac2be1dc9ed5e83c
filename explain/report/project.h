// Projects a decision to a report's status.
//
// Every number is copied from the Decision; nothing is decided again. Lists are cut at the bounds of the CRD
// and keep their true totals.
//
// Threads: pure functions. Errors: none.
#pragma once

#include "explain/report/report.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {

// The fields that follow from the decision on this pod: all but outcome, profile, attempts, times,
// history, answer and conditions.
ReportStatus project(const cluster::PodInfo& pod, const framework::Decision& decision,
                     const cluster::Snapshot& snapshot);

// The same for a pod that a PreEnqueue plugin keeps out of the queue.
ReportStatus project_gated(const cluster::PodInfo& pod, const framework::Verdict& gate);

}  // namespace podium::explain
