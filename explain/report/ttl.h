// The time that a report is kept: spec.ttlSeconds.
//
// Threads: pure functions. Errors: none; a value that the CRD's schema refuses counts as absent.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>

namespace podium::explain {

// The TTL of a report that never expires (ttlSeconds: 0).
inline constexpr std::chrono::seconds kKept = std::chrono::hours(24 * 365 * 100);
// spec.ttlSeconds; kKept for 0; the default if it is absent or not valid.
std::chrono::seconds report_ttl(const boost::json::value* spec, std::chrono::seconds default_ttl);

}  // namespace podium::explain
