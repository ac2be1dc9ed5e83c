// Reads the spec of a what-if (a SchedulingReport with dryRun: true) into a Question.
//
// Sizes are checked before anything is decoded, so the memory that a Question takes is bounded by a small
// multiple of kTemplateBytes, whatever its author wrote.
//
// Threads: pure functions. Errors: Kind::invalid; the message is "path: reason".
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
  std::optional<api::Pod> pod;         // from spec.template, before admission; or the pod of spec.podRef
  std::vector<EphemeralClaim> claims;  // of the pod's generic ephemeral volumes
  std::string pod_name, pod_uid;       // from spec.podRef; no UID: any pod of that name
  bool names_scheduler = false;        // the pod has a schedulerName of its own
  std::int32_t replicas = 1;
  std::string profile;
  std::chrono::seconds ttl{0};

  bool is_about_template() const { return pod_name.empty(); }
};

// Reads spec. For a spec.podRef the pod is still missing: read_pod() adds it.
Result<Question> read_question(const ReportText& report, std::chrono::seconds default_ttl);
// Adds the pod of spec.podRef, from its JSON text as the API server returned it.
Result<void> read_pod(std::string_view json, Question& question);

// A Go duration of hours, minutes and seconds ("1h30m", "10m", "90s").
std::optional<std::chrono::seconds> parse_ttl(std::string_view text);
// spec.ttl, or the default where it is absent, malformed, zero or above 720 h (the schema refuses those).
std::chrono::seconds report_ttl(const boost::json::value* spec, std::chrono::seconds default_ttl);

}  // namespace podium::controller
