#include "explain/report/refusal.h"

#include <utility>

namespace podium::explain {

ReportCondition report_condition(std::string type, bool is_true, std::string reason, std::string message) {
  return {std::move(type), is_true, std::move(reason), std::move(message), {}};
}

ReportStatus refusal(const Error& error) {
  constexpr std::size_t kPathBytes = 256, kReasonBytes = 512;
  auto status = declined("Invalid", error.message);
  for (auto& finding : findings_of(error)) {
    if (status.findings.size() == kMostFindings) break;
    auto path = finding.is_whole ? std::string() : cut(std::move(finding.path), kPathBytes);
    status.findings.push_back(
        {.path = std::move(path), .reason = cut(std::move(finding.reason), kReasonBytes)});
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
