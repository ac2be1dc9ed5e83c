// What-ifs: the answer to "where would this pod go?", as a pure function of the question and a fork of the
// snapshot.
//
// The fork is the caller's own copy: replicas are placed on it one after the other, each seeing the ones
// before and what Reserve has assumed for them (framework/placement.h), and nothing else ever sees them.
// Threads: pure; runs on a worker.
#pragma once

#include <memory>

#include "api/pod.h"
#include "base/result.h"
#include "controller/report.h"
#include "controller/report_spec.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/config.h"

namespace podium::controller {

// The pod of the question as the API server would store it: defaulted, with its priority, without scheduling
// gates. Error.message is "path: reason".
Result<std::shared_ptr<const api::Pod>> admit_question(const Question& question,
                                                       const cluster::Snapshot& snapshot,
                                                       const config::Config& config);

// Fits, PartlyFits or DoesNotFit. Scores and rejections are those of one replica: the first where all fit,
// else the first that did not.
// `claims` are made for each pod whose ephemeral volumes have none yet.
ReportStatus answer(const api::Pod& pod, std::int32_t replicas, cluster::Snapshot fork,
                    const framework::Profile& profile, const std::vector<EphemeralClaim>& claims = {});

// Accepted=False, with the path and the reason.
ReportStatus refusal(const std::string& path_and_reason);

}  // namespace podium::controller
