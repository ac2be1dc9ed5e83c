// Preempt verbs of extenders. Each extender that preempts gets the candidates that the previous one returned.
// It may drop nodes, name others, and change the victims.
//
// Threads: runs on any one executor.
// Errors: those of extenders that are not ignorable, with upstream's texts.
// Source: pkg/scheduler/framework/preemption callExtenders; pkg/scheduler/extender.go convertToVictims.
#pragma once

#include <vector>

#include "scheduler/extender/extenders.h"
#include "scheduler/framework/plugin.h"

namespace podium::extender {

using framework::PreemptionCandidate;

// `pod_text` is the pod's JSON; null: the pod no longer exists, which is an error if an extender is to be
// called. `extenders` and `snapshot` must outlive the task.
client::Task<Result<std::vector<PreemptionCandidate>>> call_preempt_verbs(
    const Extenders* extenders, framework::PodInfoPtr pod, Text pod_text, const framework::Snapshot* snapshot,
    std::vector<PreemptionCandidate> candidates);

// Converts an extender's reply to candidates, in the order of the reply. An unknown node or pod is an error.
// A node without victims is an error; if the extender is ignorable, that node is dropped instead.
Result<std::vector<PreemptionCandidate>> to_candidates(const std::vector<Victims>& reply,
                                                       const HttpExtender& extender,
                                                       const framework::Snapshot& snapshot);

}  // namespace podium::extender
