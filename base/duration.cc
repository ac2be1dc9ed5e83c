#include "base/duration.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/ascii.h"

namespace podium {
namespace {

constexpr std::array<std::pair<std::string_view, std::int64_t>, 8> kUnits{{
    {"ns", 1},
    {"us", 1'000},
    {"\u00b5s", 1'000},  // micro sign
    {"\u03bcs", 1'000},  // Greek mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
}};

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t unit_of(std::string_view name) {
  for (const auto& [unit, nanos] : kUnits) {
    if (unit == name) return nanos;
  }
  return 0;
}

// Parses and removes one part such as "12.5m" at the front of `text`; in nanoseconds.
std::optional<__int128> take_part(std::string_view& text) {
  constexpr __int128 kLimit = static_cast<__int128>(kMost) + 1;  // of a negative one
  __int128 whole = 0;
  std::size_t digits = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
    whole = whole * 10 + (text.front() - '0');
    if (whole > kLimit) return std::nullopt;
  }
  std::int64_t fraction = 0, scale = 1;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
      if (scale >= 1'000'000'000'000'000) continue;  // less than a nanosecond even in hours
      fraction = fraction * 10 + (text.front() - '0');
      scale *= 10;
    }
  }
  if (digits == 0) return std::nullopt;
  std::size_t length = 0;
  while (length < text.size() && text[length] != '.' && !is_digit(text[length])) ++length;
  const auto unit = unit_of(text.substr(0, length));
  if (unit == 0) return std::nullopt;
  text.remove_prefix(length);
  const auto nanos = whole * unit + static_cast<__int128>(fraction) * unit / scale;
  return nanos > kLimit ? std::nullopt : std::optional(nanos);
}

// Formats value / unit as "1.5" or "2": up to nine decimals, no trailing zeros.
std::string decimal(std::uint64_t value, std::uint64_t unit) {
  auto text = fmt::format("{}", value / unit);
  if (auto rest = value % unit) {
    std::string digits;
    for (auto scale = unit / 10; scale > 0 && rest > 0; scale /= 10) {
      digits += static_cast<char>('0' + rest / scale);
      rest %= scale;
    }
    text += "." + digits;
  }
  return text;
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return std::nullopt;
  __int128 sum = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part) return std::nullopt;
    sum += *part;
    if (sum > static_cast<__int128>(kMost) + (negative ? 1 : 0)) return std::nullopt;
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(negative ? -sum : sum));
}

std::string format_duration(std::chrono::nanoseconds duration) {
  const auto count = duration.count();
  if (count == 0) return "0s";
  const std::string sign = count < 0 ? "-" : "";
  // Unsigned, since the lowest value has no positive counterpart.
  const auto nanos = count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  if (nanos < 1'000) return fmt::format("{}{}ns", sign, nanos);
  if (nanos < 1'000'000) return sign + decimal(nanos, 1'000) + "\u00b5s";
  if (nanos < 1'000'000'000) return sign + decimal(nanos, 1'000'000) + "ms";
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const auto minutes = nanos / kMinute;
  const auto seconds = decimal(nanos % kMinute, 1'000'000'000) + "s";
  if (minutes == 0) return sign + seconds;
  if (minutes < 60) return fmt::format("{}{}m{}", sign, minutes, seconds);
  return fmt::format("{}{}h{}m{}", sign, minutes / 60, minutes % 60, seconds);
}

}  // namespace podium
