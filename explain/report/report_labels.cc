#include "explain/report/report_labels.h"

#include <fmt/format.h>

#include "api/text/json_view.h"
#include "explain/report/report.h"

namespace podium::explain {

std::string decisions_selector(std::string_view outcome) {
  const auto all = fmt::format("{}={}", kReportLabel, kDecision);
  return outcome.empty() ? all : fmt::format("{},{}={}", all, kOutcomeLabel, outcome);
}

std::string unplaced_decisions_selector() {
  return fmt::format("{},{}!={}", decisions_selector(), kOutcomeLabel, kScheduled);
}

std::string label_at(const boost::json::value& object, std::string_view label) {
  return std::string(api::text_of(api::member(api::find_at(object, "/metadata/labels"), label)));
}

std::string annotation_at(const boost::json::value& object, std::string_view annotation) {
  return std::string(api::text_of(api::member(api::find_at(object, "/metadata/annotations"), annotation)));
}

}  // namespace podium::explain
