// What-ifs: the answer to "where would this pod go?", as a pure function of the question and a fork of the
// snapshot.
//
// The fork is the caller's own copy: replicas are placed on it one after the other, each seeing the ones
// before and what Reserve has assumed for them (framework/placement.h), and nothing else ever sees them.
// Threads: pure; runs on a worker.
#pragma once

#include <functional>
#include <memory>
#include <string>

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

// Whether there is time for one more replica. Asked before each; the core has no clock of its own.
using Budget = std::function<bool()>;

// Fits, PartlyFits or DoesNotFit. Scores and rejections are those of one replica: the first where all fit,
// else the first that did not. Victims of other namespaces than the pod's are counted and not named.
// `claims` are made for each pod whose ephemeral volumes have none yet. Where the budget ends early, the
// answer tells of the replicas that were placed by then (PartlyFits), or is declined.
ReportStatus answer(const api::Pod& pod, std::int32_t replicas, cluster::Snapshot fork,
                    const framework::Profile& profile, const std::vector<EphemeralClaim>& claims = {},
                    const Budget& budget = {});

// A request that is invalid: Accepted=False with the path and the reason, and Complete=True with reason
// Refused.
ReportStatus refusal(const std::string& path_and_reason);
// A request that cannot be answered: Accepted=False and Complete=True, both with this reason.
ReportStatus declined(const std::string& reason, const std::string& message);

inline constexpr const char* kDeadlineExceeded = "DeadlineExceeded";
inline constexpr const char* kTooManyQuestions = "TooManyQuestions";

}  // namespace podium::controller
