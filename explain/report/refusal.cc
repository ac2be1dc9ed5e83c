#include "explain/report/refusal.h"

#include <utility>

namespace podium::explain {

ReportCondition report_condition(std::string type, bool is_true, std::string reason, std::string message) {
  return {std::move(type), is_true, std::move(reason), std::move(message), {}};
}

ReportStatus refusal(const std::string& path_and_reason) { return declined("Invalid", path_and_reason); }

ReportStatus declined(const std::string& reason, const std::string& message) {
  ReportStatus status;
  status.outcome = kRefused;
  status.message = message;
  status.conditions = {report_condition("Accepted", false, reason, message),
                       report_condition("Complete", true, kRefused, message)};
  return status;
}

}  // namespace podium::explain
