// The output of `podium evaluate`: for each pod what `podium why` prints, or its report.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "app/evaluate/document.h"
#include "app/render/why.h"

namespace podium::evaluate {

// With --place: for each workload the number of placed pods, their zones, and why the others are not placed.
// `wide`: the node of each pod, then the number of unplaced pods per message.
std::string to_table(const std::vector<PlacedPod>& pods, bool wide);
std::string to_table(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot,
                     const render::Options& options);
std::string to_table(const PodResult& result, const cluster::Snapshot& snapshot,
                     const render::Options& options);

// How many fit, and what the quotas allow.
explain::ReportAnswer answer_of(const PodResult& result);
// The decision as the status of a question, and as the SchedulingReport of one.
explain::ReportStatus status_of(const PodResult& result, const cluster::Snapshot& snapshot);
boost::json::object report_json(const PodResult& result, const cluster::Snapshot& snapshot);

}  // namespace podium::evaluate
