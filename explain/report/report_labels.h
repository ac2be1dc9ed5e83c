// The API version and kind of a SchedulingReport, and its labels and annotations, by which lists select it
// without reading it whole.
//
// Threads: constants and pure functions. Errors: none.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

namespace podium::explain {

inline constexpr const char* kReportVersion = "podium.dev/v1alpha1";
inline constexpr const char* kReportKind = "SchedulingReport";

inline constexpr const char* kReportLabel = "podium.dev/report";
inline constexpr const char* kDecision = "decision";
inline constexpr const char* kQuestion = "question";
inline constexpr const char* kOutcomeLabel = "podium.dev/outcome";
inline constexpr const char* kExpiresLabel = "podium.dev/expires";   // the minute, "YYYYMMDDHHMM" in UTC
inline constexpr const char* kTtlAnnotation = "podium.dev/ttl";      // seconds
inline constexpr const char* kBytesAnnotation = "podium.dev/bytes";  // its bytes in etcd at its creation

// Selects the decisions, all or those with this outcome.
std::string decisions_selector(std::string_view outcome = "");
// Selects the decisions on pods that have no node.
std::string unplaced_decisions_selector();

// A label or an annotation of an object; empty if it is missing.
std::string label_at(const boost::json::value& object, std::string_view label);
std::string annotation_at(const boost::json::value& object, std::string_view annotation);

}  // namespace podium::explain
