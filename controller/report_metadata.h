// What the metadata of a SchedulingReport tells: whether it is a decision's, and how long it is kept.
//
// podium labels the reports that it makes and notes their TTL, so that a list of metadata is enough to know
// when each is due. The time of the last write is the API server's own (metadata.managedFields).
// Threads: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "controller/retention_index.h"

namespace podium::controller {

inline constexpr const char* kReportLabel = "podium.dev/report";
inline constexpr const char* kDecision = "decision";
inline constexpr const char* kTtlAnnotation = "podium.dev/ttl";  // seconds

struct ReportMetadata {
  std::string ns, name, uid;
  Wall written{};  // last, by the API server's clock
  ReportKind kind = ReportKind::question;
  std::optional<std::chrono::seconds> ttl;  // from the last write; none: the metadata does not tell
};

// Of an object, or of its metadata alone. None: it is neither.
std::optional<ReportMetadata> read_metadata(const boost::json::value& object);

// Of a whole report, where the metadata does not tell.
std::chrono::seconds full_ttl(const boost::json::value& report, const ReportMetadata& metadata,
                              std::chrono::seconds default_ttl);

// Whether podium has written it for a decision, for whichever pod.
bool is_podiums_decision(const boost::json::value& report);

std::string text_at(const boost::json::value& value, std::string_view pointer);  // "" where there is none

}  // namespace podium::controller
