// The spec of a SchedulingReport: what a user asks in a what-if, read with the path of what is wrong.
//
// Sizes are looked at before anything is decoded, so that a question costs at most some multiple of
// kTemplateBytes, whatever its author put into it.
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
#include "controller/report_text.h"

namespace podium::controller {

inline constexpr std::size_t kTemplateBytes = 64 * 1024;
inline constexpr std::size_t kTemplateDepth = 64;         // a pod has about 15
inline constexpr std::size_t kObjectBytes = 1024 * 1024;  // of a report or of a pod, with its metadata

struct Question {
  api::ObjectMeta meta;                // of the report: namespace, name, UID and generation
  std::optional<api::Pod> pod;         // from spec.template, not admitted yet; or the pod of spec.podRef
  std::vector<EphemeralClaim> claims;  // of the pod's volumes, where they would be made for it
  std::string pod_name, pod_uid;       // from spec.podRef; no UID: whichever pod has that name
  bool names_scheduler = false;        // the pod has a schedulerName of its own
  std::int32_t replicas = 1;
  std::string profile;
  std::chrono::seconds ttl{0};

  bool is_about_template() const { return pod_name.empty(); }
};

// Error.message is "path: reason". The pod of a spec.podRef is to be read yet.
Result<Question> read_question(const ReportText& report, std::chrono::seconds default_ttl);
// Takes the pod of spec.podRef from its JSON text, as the API server has it.
Result<void> read_pod(std::string_view json, Question& question);

// A Go duration of hours, minutes and seconds ("1h30m", "10m", "90s").
std::optional<std::chrono::seconds> parse_ttl(std::string_view text);
// spec.ttl, or the default where it is absent or out of bounds (the schema refuses that).
std::chrono::seconds report_ttl(const boost::json::value* spec, std::chrono::seconds default_ttl);

}  // namespace podium::controller
