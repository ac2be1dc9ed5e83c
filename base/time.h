// Timestamps of the Kubernetes API: RFC 3339 in UTC, in seconds (metav1.Time) or microseconds
// (metav1.MicroTime).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace podium {

std::string format_time(Wall);        // 2026-01-02T03:04:05Z
std::string format_micro_time(Wall);  // 2026-01-02T03:04:05.000006Z
// Accepts any RFC 3339 time, with fraction and offset; nullopt for anything else. Years before 1880 and after
// 2096 read as these; what is out of them by its offset reads as their first or last moment.
std::optional<Wall> parse_time(std::string_view);

}  // namespace podium
