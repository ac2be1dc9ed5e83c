// Resolves plain YAML scalars as Kubernetes does. Source: go-yaml v2 resolve.go.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "api/text/document_builder.h"
#include "base/ascii.h"

namespace podium::api::detail {
namespace {

namespace json = boost::json;

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};

// Parses as Go's strconv.ParseInt with base 0, but rejects underscores.
std::optional<json::value> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  std::uint64_t magnitude = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr auto kMaxInt64 = static_cast<std::uint64_t>(INT64_MAX);
  if (!negative) {
    if (magnitude > kMaxInt64) return json::value(magnitude);
    return json::value(static_cast<std::int64_t>(magnitude));
  }
  if (magnitude > kMaxInt64 + 1) return std::nullopt;
  return json::value(static_cast<std::int64_t>(-magnitude));
}

// Digits, a point and an exponent; not words such as "inf", which from_chars would accept.
bool looks_like_float(std::string_view text) {
  bool digits = false;
  std::size_t at = 0;
  const auto skip_digits = [&] {
    const auto start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > start;
  };
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  digits = skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits |= skip_digits();
  }
  if (!digits) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (!skip_digits()) return false;
  }
  return at == text.size();
}

std::optional<json::value> parse_float(std::string_view text) {
  if (!looks_like_float(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return json::value(number);
}

}  // namespace

json::value resolve_plain_scalar(std::string_view text) {
  if (text.size() <= 5) {
    if (one_of(text, kNull)) return nullptr;
    if (one_of(text, kTrue)) return true;
    if (one_of(text, kFalse)) return false;
  }
  const char first = text.empty() ? ' ' : text[0];
  if (is_digit(first) || first == '-' || first == '+' || first == '.') {
    std::string plain(text);
    if (first != '.') std::erase(plain, '_');
    if (first != '.') {
      if (auto number = parse_integer(plain)) return std::move(*number);
    }
    if (auto number = parse_float(plain)) return std::move(*number);
  }
  return json::string(text);
}

}  // namespace podium::api::detail
