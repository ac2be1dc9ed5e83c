#include "api/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/ascii.h"
#include "base/utf8.h"

namespace podium::api {
namespace {

using Wide = __int128;
using UWide = unsigned __int128;

constexpr Wide kMax = static_cast<Wide>(~UWide{0} >> 1);
constexpr Wide kMin = -kMax - 1;
constexpr UWide kMantissaLimit = ~UWide{0} / 10 - 1;  // one more digit still fits
constexpr UWide kUnit = 1'000'000'000;                // nano-units of one unit
constexpr int kExponentBound = 1000;                  // beyond it, values saturate or round to 1n

// A parsed number: digits * 10^exponent10 * 2^exponent2, and whether smaller digits were dropped.
struct Number {
  bool negative = false;
  bool inexact = false;
  UWide digits = 0;
  int exponent10 = 0;
  int exponent2 = 0;
};

void add_digit(Number& number, char c) {
  if (number.digits > kMantissaLimit) {
    number.inexact |= c != '0';
    ++number.exponent10;
    return;
  }
  number.digits = number.digits * 10 + static_cast<unsigned>(c - '0');
}

// Applies the suffix's power. False: unknown suffix. Source: apimachinery resource suffix.go.
bool apply_suffix(std::string_view suffix, Number& number) {
  struct Entry {
    std::string_view text;
    int exponent10, exponent2;
  };
  static constexpr std::array<Entry, 16> kSuffixes = {{{"n", -9, 0},
                                                       {"u", -6, 0},
                                                       {"m", -3, 0},
                                                       {"", 0, 0},
                                                       {"k", 3, 0},
                                                       {"M", 6, 0},
                                                       {"G", 9, 0},
                                                       {"T", 12, 0},
                                                       {"P", 15, 0},
                                                       {"E", 18, 0},
                                                       {"Ki", 0, 10},
                                                       {"Mi", 0, 20},
                                                       {"Gi", 0, 30},
                                                       {"Ti", 0, 40},
                                                       {"Pi", 0, 50},
                                                       {"Ei", 0, 60}}};
  for (const auto& entry : kSuffixes) {
    if (entry.text != suffix) continue;
    number.exponent10 += entry.exponent10;
    number.exponent2 = entry.exponent2;
    return true;
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
  suffix.remove_prefix(1);
  if (suffix[0] == '+') suffix.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto [end, code] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  if (end != suffix.data() + suffix.size() || code != std::errc()) return false;
  number.exponent10 += static_cast<int>(std::clamp<std::int64_t>(exponent, -kExponentBound, kExponentBound));
  return true;
}

// Digits * 2^exponent2. What does not fit into 128 bits is dropped from the right, as late as possible.
UWide with_binary_suffix(Number& number) {
  int left = number.exponent2;
  if (number.digits <= (~UWide{0} >> left)) return number.digits << left;
  for (; left > 0; --left) {
    if (number.digits > (~UWide{0} >> 1)) {
      number.inexact |= number.digits % 10 != 0;
      number.digits /= 10;
      ++number.exponent10;
    }
    number.digits <<= 1;
  }
  return number.digits;
}

// Whether Go takes a text without digits for 0: its fast path does, its slow one refuses it.
bool may_lack_digits(const Number& number) { return number.exponent10 >= -9 && number.exponent2 < 50; }

// The number in nano-units, rounded away from zero, saturated.
Wide to_nanos(Number number) {
  if (number.digits == 0) return 0;
  UWide nanos = with_binary_suffix(number);
  int exponent = number.exponent10 + 9;
  for (; exponent > 0; --exponent) {
    if (nanos > static_cast<UWide>(kMax) / 10) return number.negative ? kMin : kMax;
    nanos *= 10;
  }
  for (; exponent < 0 && nanos != 0; ++exponent) {
    number.inexact |= nanos % 10 != 0;
    nanos /= 10;
  }
  if (number.inexact) ++nanos;
  if (number.exponent2 > 0) {
    // The API caps binary quantities only.
    nanos = std::min(nanos, static_cast<UWide>(std::numeric_limits<std::int64_t>::max()) * kUnit);
  }
  if (nanos > static_cast<UWide>(kMax)) return number.negative ? kMin : kMax;
  return number.negative ? -static_cast<Wide>(nanos) : static_cast<Wide>(nanos);
}

Wide divide_away_from_zero(Wide value, Wide by) {
  const Wide quotient = value / by;
  const Wide rest = value % by;
  if (rest == 0) return quotient;
  return value < 0 ? quotient - 1 : quotient + 1;
}

std::int64_t saturate(Wide value) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (value > Limits::max()) return Limits::max();
  if (value < Limits::min()) return Limits::min();
  return static_cast<std::int64_t>(value);
}

// Kubernetes answers with a regular expression.
std::unexpected<Error> no_quantity(std::string_view text) {
  const auto shown = whole_characters(text, 40);
  return invalid(fmt::format(R"("{}{}" is not a quantity, such as "4", "500m" or "2Gi")", shown,
                             shown.size() < text.size() ? "…" : ""));
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return no_quantity(text);

  Number number;
  std::size_t at = 0;
  if (text[0] == '-' || text[0] == '+') {
    number.negative = text[0] == '-';
    at = 1;
  }
  for (; at < text.size() && is_digit(text[at]); ++at) add_digit(number, text[at]);
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && is_digit(text[at]); ++at) {
      add_digit(number, text[at]);
      --number.exponent10;
    }
  }

  const bool has_digits = text.substr(0, at).find_first_of("0123456789") != std::string_view::npos;
  const auto suffix = text.substr(at);
  std::size_t end = suffix.find_first_not_of("eEinumkKMGTP");
  if (end == std::string_view::npos) end = suffix.size();
  if (end < suffix.size() && (suffix[end] == '-' || suffix[end] == '+')) ++end;
  while (end < suffix.size() && is_digit(suffix[end])) ++end;
  if (end != suffix.size() || !apply_suffix(suffix, number)) return no_quantity(text);
  if (!has_digits && !may_lack_digits(number)) return no_quantity(text);
  return Quantity(to_nanos(number));
}

std::int64_t Quantity::value() const { return saturate(divide_away_from_zero(nanos_, kNano)); }

std::int64_t Quantity::milli_value() const { return saturate(divide_away_from_zero(nanos_, kNano / 1000)); }

Quantity Quantity::rounded_up_to_milli() const {
  constexpr Wide kMilli = kNano / 1000;
  if (nanos_ % kMilli == 0 || nanos_ > kMax - kMilli || nanos_ < kMin + kMilli) return *this;
  return Quantity(divide_away_from_zero(nanos_, kMilli) * kMilli);
}

Quantity Quantity::operator+(Quantity other) const {
  Wide sum = 0;
  if (__builtin_add_overflow(nanos_, other.nanos_, &sum)) return Quantity(nanos_ < 0 ? kMin : kMax);
  return Quantity(sum);
}

Quantity Quantity::operator-(Quantity other) const {
  Wide difference = 0;
  if (__builtin_sub_overflow(nanos_, other.nanos_, &difference)) return Quantity(nanos_ < 0 ? kMin : kMax);
  return Quantity(difference);
}

std::string Quantity::text() const {
  static constexpr std::array<std::string_view, 10> kSuffixes = {"n", "u", "m", "",  "k",
                                                                 "M", "G", "T", "P", "E"};
  if (nanos_ == 0) return "0";
  UWide rest = nanos_ < 0 ? -static_cast<UWide>(nanos_) : static_cast<UWide>(nanos_);
  std::size_t suffix = 0;
  while (suffix + 1 < kSuffixes.size() && rest % 1000 == 0) {
    rest /= 1000;
    ++suffix;
  }
  std::string digits;
  for (; rest != 0; rest /= 10) digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (nanos_ < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits += kSuffixes[suffix];
}

}  // namespace podium::api
