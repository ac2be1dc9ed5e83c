// decimal_integer(): a number as Kubernetes' content.IsDecimalInteger and strconv.ParseInt read it.
//
// Threads: pure function. Errors: nullopt for a plus sign, for leading zeros, for other characters, and for
// numbers beyond 64 bits.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace podium::api {

inline std::optional<std::int64_t> decimal_integer(std::string_view text) {
  const auto digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || (digits.front() == '0' && text != "0")) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace podium::api
