// Bounds sizes for names of any length: 8 KiB for the whole report of a decision, 40 KiB for a status that
// answers a what-if. The author decides the size of the rest of a what-if's object.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <string>

#include "explain/report/report.h"

namespace podium::explain {

inline constexpr std::size_t kReportBytes = 8192;
// Bytes of the object without its status: the fields of report_body() without names and UID, and the fields
// that the API server adds (managedFields: 1,400).
inline constexpr std::size_t kOtherBytes = 330 + 1700;

// to_text(status). If it is longer than `most`, cuts lists and texts until it fits, the
// least important for the decision first. Totals stay.
std::string bounded_json(const ReportStatus& status, std::size_t most);

inline constexpr std::size_t kAnswerBytes = 40 * 1024;

// The same for the status of an answer. It has room for the times that are stamped later.
void bound_answer(ReportStatus& status);

}  // namespace podium::explain
