// Integers as Kubernetes reads them.
//
// Threads: pure functions. Errors: nullopt for other characters, and for numbers beyond the type.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace podium::api {

// The text as std::from_chars reads it, to its end: no plus sign.
template <typename Number = std::int64_t>
std::optional<Number> whole_number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "25%" is 25; nullopt: not a percentage.
inline std::optional<std::int64_t> percentage(std::string_view text) {
  return text.ends_with('%') ? whole_number(text.substr(0, text.size() - 1)) : std::nullopt;
}

// As Go's strconv.ParseInt(text, 10, 64): an optional sign, then digits; allows leading zeros.
inline std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  return whole_number(text);
}

// Reads what content.IsDecimalInteger accepts: no plus sign and no leading zeros.
inline std::optional<std::int64_t> decimal_integer(std::string_view text) {
  const auto digits = text.starts_with('-') ? text.substr(1) : text;
  if (text.starts_with('+') || (digits.starts_with('0') && text != "0")) return std::nullopt;
  return parse_integer(text);
}

}  // namespace podium::api
