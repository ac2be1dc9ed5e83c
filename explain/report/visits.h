// Visits the fields of a report: their paths, and their texts, by the lists of fields (fields.h).
//
// Threads: pure functions. Errors: none.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "explain/report/report.h"

namespace podium::explain {

// The paths of all fields that podium writes, sorted: "status.choice.nodeName". The items of a list belong to
// the list's path.
std::span<const std::string> status_paths();

// Calls `see` for each text of the status, in no particular order.
void each_text(ReportStatus& status, const std::function<void(Meaning, std::string&)>& see);

// The parts of the answer that describe a replica that does not fit.
std::vector<FirstFailure*> failures_of(ReportAnswer& answer);

}  // namespace podium::explain
