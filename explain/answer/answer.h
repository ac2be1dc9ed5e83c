// Answers a what-if: a pure function of the question and a fork of the snapshot.
//
// The subject's own placed pods leave the fork first, then the changes are made, then the replicas are placed
// one after the other (placing.h). Nothing reaches the live snapshot.
//
// Threads: pure functions; run on a worker. Errors: an invalid question gets refusal().
#pragma once

#include <vector>

#include "api/admission/admission.h"
#include "explain/answer/changes.h"
#include "explain/question/question.h"
#include "explain/report/refusal.h"
#include "explain/report/report.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"

namespace podium::explain {

// Whether the answer depends on the pods without a node: also if nodes are added, on which DaemonSets run;
// for budgets of a file, which are shares of all pods; and for pods of a scheduler that podium does not
// serve, whose nominations the snapshot does not have.
bool needs_waiting(const Question& question, const config::Config& config);

// The question has its subject. The outcome is Fits, PartlyFits or DoesNotFit; the tables are those of the
// first replica, firstFailure those of the first that does not fit. Counts pods of other namespaces and does
// not name them. If the budget ends early, the answer covers what was decided so far (PartlyFits), or is
// declined() if no replica was placed. `objects`: what admission applies to the pods, and the minimums of
// their groups; in a search a group without one needs all of its pods that wait.
// `waiting`: the pods without a node, for a question that needs_waiting().
ReportStatus answer(const Question& question, cluster::Snapshot fork, const config::Config& config,
                    const Budget& budget = {}, const api::AdmissionObjects& objects = {},
                    const std::vector<cluster::PodInfoPtr>& waiting = {});

}  // namespace podium::explain
