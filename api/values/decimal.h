// Integers as Kubernetes reads them.
//
// Threads: pure functions. Errors: nullopt for other characters, and for numbers beyond 64 bits.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace podium::api {

// As Go's strconv.ParseInt(text, 10, 64): an optional sign, then digits; allows leading zeros.
inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Reads what content.IsDecimalInteger accepts: no plus sign and no leading zeros.
inline std::optional<std::int64_t> decimal_integer(std::string_view text) {
  const auto digits = text.starts_with('-') ? text.substr(1) : text;
  if (text.starts_with('+') || (digits.starts_with('0') && text != "0")) return std::nullopt;
  return parse_integer(text);
}

}  // namespace podium::api
