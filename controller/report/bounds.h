// Bounds the size of a decision's report: 8 KiB for the whole object, whatever the names in it.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <string>

#include "controller/report/report.h"

namespace podium::controller {

inline constexpr std::size_t kReportBytes = 8192;
// Of the object without its status: the fields of report_body() without names and UID, and those that the
// API server adds, of which managedFields take 1,400.
inline constexpr std::size_t kOtherBytes = 330 + 1700;

// The JSON text of to_json(status). Where it is longer than `most`, lists and texts are cut until it is not:
// first what says least about the decision. Their totals stay.
std::string bounded_json(const ReportStatus& status, std::size_t most);

}  // namespace podium::controller
