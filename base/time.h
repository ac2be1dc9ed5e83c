// Timestamps of the Kubernetes API: RFC 3339 in UTC, in seconds (metav1.Time) or microseconds
// (metav1.MicroTime).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"

namespace podium {

std::string format_time(Wall);        // 2026-01-02T03:04:05Z
std::string format_micro_time(Wall);  // 2026-01-02T03:04:05.000006Z
// Reads RFC 3339 times, with fraction and offset; nullopt for other texts. Earlier years read as 1880, later
// ones as 2096; a time that its offset moves out of these reads as their first or last moment.
std::optional<Wall> parse_time(std::string_view);

}  // namespace podium
