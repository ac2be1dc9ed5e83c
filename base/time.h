// Timestamps as Kubernetes writes them: RFC 3339 in UTC, with seconds (metav1.Time) or microseconds
// (metav1.MicroTime).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace podium {

std::string format_time(Wall);        // 2026-01-02T03:04:05Z
std::string format_micro_time(Wall);  // 2026-01-02T03:04:05.000006Z
// Takes any RFC 3339 time, with a fraction and an offset; nullopt for anything else.
std::optional<Wall> parse_time(std::string_view);

}  // namespace podium
