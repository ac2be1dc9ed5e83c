// Durations as Go and metav1.Duration write them: "15s", "1.5h", "10m0s".
//
// Source: time.ParseDuration and time.Duration.String. Threads: pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace podium {

// nullopt: text that Go rejects, such as a value beyond 64 bits of nanoseconds.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::nanoseconds);

}  // namespace podium
