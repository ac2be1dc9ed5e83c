// The spec of a SchedulingReport: what a user asks in a what-if, read with the path of what makes no sense.
//
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta.h"
#include "api/pod.h"
#include "base/result.h"
#include "controller/ephemeral_claims.h"

namespace podium::controller {

inline constexpr std::size_t kTemplateBytes = 64 * 1024;

struct Question {
  api::ObjectMeta meta;                // of the report
  std::optional<api::Pod> pod;         // from spec.template, not admitted yet
  std::vector<EphemeralClaim> claims;  // of the pod's volumes, where they would be made for it
  std::string pod_name;                // from spec.podRef
  bool names_scheduler = false;        // the template has a schedulerName of its own
  std::int32_t replicas = 1;
  std::string profile;
  std::chrono::seconds ttl{0};
};

// Error.message is "path: reason".
Result<Question> read_question(const boost::json::value& report, std::chrono::seconds default_ttl);

// A Go duration of hours, minutes and seconds ("1h30m", "10m", "90s").
std::optional<std::chrono::seconds> parse_ttl(std::string_view text);
// spec.ttl, or the default where it is absent or makes no sense (the schema refuses that).
std::chrono::seconds report_ttl(const boost::json::value* spec, std::chrono::seconds default_ttl);

}  // namespace podium::controller
