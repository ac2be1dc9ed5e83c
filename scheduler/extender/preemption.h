// What extenders have to say on who is evicted: each that preempts is asked about the candidates that the one
// before left, and may drop nodes, name others, and change the victims.
//
// Threads: pure but for the asking; on any one executor. Errors: of an extender that may not be ignored, in
// upstream's words.
// Source: pkg/scheduler/framework/preemption callExtenders; pkg/scheduler/extender.go convertToVictims.
#pragma once

#include <vector>

#include "scheduler/extender/extenders.h"

namespace podium::extender {

using framework::PreemptionCandidate;

// `pod_text` is the pod's JSON; null where the pod is not known any more, which is an error once somebody is
// to be asked.
client::Task<Result<std::vector<PreemptionCandidate>>> ask_about_victims(
    const Extenders* extenders, framework::PodInfoPtr pod, Text pod_text, const framework::Snapshot* snapshot,
    std::vector<PreemptionCandidate> candidates);

// An extender's reply as candidates, by node name. A node or a pod that is not there is an error, and so is a
// node without victims, unless the extender may be ignored: then only that node is.
Result<std::vector<PreemptionCandidate>> to_candidates(const std::vector<Victims>& reply,
                                                       const HttpExtender& extender,
                                                       const framework::Snapshot& snapshot);

}  // namespace podium::extender
