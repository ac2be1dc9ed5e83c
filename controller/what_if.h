// What-ifs: "where would this pod go?", answered as a pure function of the question and a fork
// of the snapshot.
//
// Replicas are placed on the fork one after the other (framework/placement.h). Each sees the earlier
// ones and what Reserve assumed for them; nothing reaches the live snapshot.
//
// Threads: pure functions; run on a worker. Errors: Kind::invalid for an invalid request.
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

// The question's pod as the API server would store it: with defaults and priority. Scheduling gates are
// removed. Error.message is "path: reason".
Result<std::shared_ptr<const api::Pod>> admit_question(const Question& question,
                                                       const cluster::Snapshot& snapshot,
                                                       const config::Config& config);

// Returns whether there is time for one more replica; called before each. The core has no clock.
using Budget = std::function<bool()>;

// The outcome is Fits, PartlyFits or DoesNotFit. Scores and rejections are those of one replica: the
// first if all fit, else the first that does not. Victims in other namespaces are counted but not named.
// `claims` are created on the fork where a replica's ephemeral volumes have none. If the budget ends
// early, the answer covers the replicas placed so far (PartlyFits), or is declined() if there are none.
ReportStatus answer(const api::Pod& pod, std::int32_t replicas, cluster::Snapshot fork,
                    const framework::Profile& profile, const std::vector<EphemeralClaim>& claims = {},
                    const Budget& budget = {});

// The answer to an invalid request: Accepted=False with path and reason, Complete=True
// with reason Refused.
ReportStatus refusal(const std::string& path_and_reason);
// The answer to a request that podium does not serve: Accepted=False and Complete=True,
// both with `reason`.
ReportStatus declined(const std::string& reason, const std::string& message);

inline constexpr const char* kDeadlineExceeded = "DeadlineExceeded";
inline constexpr const char* kTooManyQuestions = "TooManyQuestions";

}  // namespace podium::controller
