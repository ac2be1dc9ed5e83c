// Which placed pods have no report, as a new leader tells once: the one before ended before it had written
// them, and nobody can make up for a decision.
//
// Threads: pure functions, but for Retention's own lock. Errors: none.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "controller/report/requests.h"
#include "controller/retention/retention.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/config.h"

namespace podium::controller {

// Reports of pods that were placed earlier may have expired, or given way to others.
inline constexpr std::chrono::minutes kPlacedLately{10};

// The pods of podium's profiles on a node that get a report by `settings`, and that were made or started
// lately.
std::vector<ReportOwner> placed_lately(const cluster::Snapshot& snapshot, const config::Config& config,
                                       const config::Podium& settings, Wall now);

// Those without a report, once all reports have been listed. A report of an earlier pod of the name counts,
// since a list does not tell them apart.
std::vector<ReportOwner> without_report(const Retention& retention, std::vector<ReportOwner> pods);

// One line, with the count and the first names; none where no report is missing.
void tell_missing(const std::vector<ReportOwner>& pods);

}  // namespace podium::controller
