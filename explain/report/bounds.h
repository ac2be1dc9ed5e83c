// Bounds sizes, whatever the names in them: 8 KiB for the whole report of a decision, 40 KiB for a status
// that answers a what-if. The object of a what-if is as long as its author made it.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <string>

#include "explain/report/report.h"

namespace podium::explain {

inline constexpr std::size_t kReportBytes = 8192;
// Of the object without its status: the fields of report_body() without names and UID, and those that the
// API server adds, of which managedFields take 1,400.
inline constexpr std::size_t kOtherBytes = 330 + 1700;

// The JSON text of to_json(status). Where it is longer than `most`, lists and texts are cut until it is not:
// first what says least about the decision. Their totals stay.
std::string bounded_json(const ReportStatus& status, std::size_t most);

inline constexpr std::size_t kAnswerBytes = 40 * 1024;

// The same for the status of an answer. It has room for the times that are stamped later.
void bound_answer(ReportStatus& status);

}  // namespace podium::explain
