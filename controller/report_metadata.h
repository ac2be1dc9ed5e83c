// Reads from a SchedulingReport's metadata whether it reports a decision and how long it is kept.
//
// podium puts a label and a TTL annotation on the reports it creates, so that a
// metadata-only list is enough to know when each expires. The time of the last write is the
// API server's (metadata.managedFields).
//
// Threads: pure functions. Errors: nullopt or a default where a field is missing or malformed.
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
  Wall written{};  // last write, by the API server's clock
  ReportKind kind = ReportKind::question;
  std::optional<std::chrono::seconds> ttl;  // from the last write on; nullopt: not in the metadata
};

// `object` is a whole report or a PartialObjectMetadata. nullopt: it has no readable metadata.
std::optional<ReportMetadata> read_metadata(const boost::json::value& object);

// The TTL of a whole report: from its status, else its metadata, else its spec, else the default.
std::chrono::seconds full_ttl(const boost::json::value& report, const ReportMetadata& metadata,
                              std::chrono::seconds default_ttl);

// Whether podium wrote this report for a decision, on any pod.
bool is_podiums_decision(const boost::json::value& report);

// The string at a JSON pointer; "" where there is none.
std::string text_at(const boost::json::value& value, std::string_view pointer);

}  // namespace podium::controller
