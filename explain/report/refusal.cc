#include "explain/report/refusal.h"

#include <utility>

namespace podium::explain {

ReportCondition report_condition(std::string type, bool is_true, std::string reason, std::string message) {
  return {std::move(type), is_true, std::move(reason), std::move(message), {}};
}

ReportStatus refusal(const Error& error) {
  auto status = declined(kInvalid, error.message);
  status.findings = findings_of(error);
  for (auto& finding : status.findings) {
    if (finding.is_whole) finding.path.clear();
  }
  return status;
}

ReportStatus declined(const std::string& reason, const std::string& message) {
  ReportStatus status;
  status.outcome = kRefused;
  status.message = message;
  status.conditions = {report_condition("Accepted", false, reason, message),
                       report_condition("Complete", true, kRefused, message)};
  return status;
}

}  // namespace podium::explain
