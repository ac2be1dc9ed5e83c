// Timestamps and durations: their texts and arithmetic.
//
// Role: time for operators and conversions; has no clock. Threads: pure functions. Errors: values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/value.h"

namespace podium::cel {

Value add_times(const Value& left, const Value& right);
Value subtract_times(const Value& left, const Value& right);

std::optional<Timestamp> parse_timestamp(std::string_view text);  // RFC 3339
bool is_in_range(const Timestamp& time);                          // of the years 1 to 9999
std::string duration_text(std::int64_t nanos);                    // in seconds
std::string timestamp_text(const Timestamp& time);

}  // namespace podium::cel
