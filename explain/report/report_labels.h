// The API version and kind of a SchedulingReport, and its labels and annotations, by which lists select it
// without reading it whole.
#pragma once

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

}  // namespace podium::explain
