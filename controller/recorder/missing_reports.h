// The placed pods without a report, which a new leader logs once. The previous leader may have ended before
// it wrote them; the new one cannot write them, since it does not have the decisions.
//
// Threads: pure functions, except for Retention's own lock. Errors: none.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "controller/report/report_requests.h"
#include "controller/retention/retention.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"

namespace podium::controller {

// Reports of pods that were placed earlier may have expired or been evicted.
inline constexpr std::chrono::minutes kRecently{10};

// The pods of podium's profiles that are on a node, get a report by `settings`, and were created or started
// within kRecently of `now`.
std::vector<ReportOwner> recently_placed(const cluster::Snapshot& snapshot, const config::Config& config,
                                         const config::Podium& settings, Wall now);

// The pods without a report; call it after all reports have been listed. A report of an earlier pod of the
// same name counts: a list of metadata does not distinguish the two.
std::vector<ReportOwner> without_report(const Retention& retention, std::vector<ReportOwner> pods);

// Logs one line with the count and the first names; nothing if `pods` is empty.
void log_missing(const std::vector<ReportOwner>& pods);

}  // namespace podium::controller
