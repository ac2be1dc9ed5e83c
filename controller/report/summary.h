// The summary of a report: a line for people and for the columns of kubectl get.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "controller/report/report.h"

namespace podium::controller {

struct ReportSummary {
  std::string node, score, reason;  // "-" where there is none
};

ReportSummary summary_of(const ReportStatus& status);

// The reason that held most nodes, else the message; at most 100 bytes.
std::string main_reason(const ReportStatus& status);

}  // namespace podium::controller
