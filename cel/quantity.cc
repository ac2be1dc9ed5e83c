#include "cel/quantity.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace podium::cel {
namespace {

constexpr std::string_view kFormat =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kSuffix = "unable to parse quantity's suffix";
constexpr std::string_view kNumber = "unable to parse numeric part of quantity";
constexpr std::string_view kRange = "unsupported: a quantity of 10^20 units or more";
constexpr __int128 kMost = static_cast<__int128>(100'000'000'000'000'000'000.0) * 1'000'000'000;

struct Unit {
  int base = 10;
  std::int32_t exponent = 0;
  Quantity::Format format = Quantity::Format::decimal;
};

std::expected<Unit, std::string> unit_of(std::string_view suffix) {
  static constexpr std::pair<std::string_view, Unit> kUnits[] = {
      {"", {10, 0}},   {"n", {10, -9}}, {"u", {10, -6}}, {"m", {10, -3}}, {"k", {10, 3}},  {"M", {10, 6}},
      {"G", {10, 9}},  {"T", {10, 12}}, {"P", {10, 15}}, {"E", {10, 18}}, {"Ki", {2, 10}}, {"Mi", {2, 20}},
      {"Gi", {2, 30}}, {"Ti", {2, 40}}, {"Pi", {2, 50}}, {"Ei", {2, 60}},
  };
  for (const auto& [name, found] : kUnits) {
    if (name == suffix) return found;
  }
  if (suffix.size() > 1 && (suffix[0] == 'e' || suffix[0] == 'E')) {
    std::string_view digits = suffix.substr(1);
    if (digits[0] == '+') digits.remove_prefix(1);
    std::int64_t exponent = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (code != std::errc() || end != digits.data() + digits.size())
      return std::unexpected(std::string(kSuffix));
    if (exponent < -1000 || exponent > 1000) return std::unexpected(std::string(kRange));
    return Unit{10, static_cast<std::int32_t>(exponent), Quantity::Format::exponent};
  }
  return std::unexpected(std::string(kSuffix));
}

bool scale_up(std::int64_t value, std::int32_t by, std::int64_t& out) {
  for (; by > 0 && value != 0; --by) {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return false;
  }
  out = value;
  return true;
}

// digits * 10^exponent * 2^shift in nano-units, rounded away from zero; negative: too large.
__int128 to_nanos(std::string_view digits, std::int32_t exponent, int shift) {
  while (!digits.empty() && digits.front() == '0') digits.remove_prefix(1);
  exponent += 9;
  __int128 amount = 0;
  bool rest = false;
  std::int32_t left = static_cast<std::int32_t>(digits.size()) + exponent;  // digits before the point
  // With a power of two all digits count before the result is rounded.
  if (shift > 0 && exponent < 0) {
    if (digits.size() > 28) return -1;
    for (const char c : digits) amount = amount * 10 + (c - '0');
    for (; shift > 0; --shift) {
      if (amount > (static_cast<__int128>(1) << 125)) return -1;
      amount *= 2;
    }
    for (; exponent < 0; ++exponent) {
      rest = rest || amount % 10 != 0;
      amount /= 10;
    }
    return amount + (rest ? 1 : 0);
  }
  for (const char c : digits) {
    if (left-- > 0) {
      if (amount > kMost) return -1;
      amount = amount * 10 + (c - '0');
    } else {
      rest = rest || c != '0';
    }
  }
  for (; left > 0 && amount != 0; --left) {
    if (amount > kMost) return -1;
    amount *= 10;
  }
  for (; shift > 0; --shift) {
    if (amount > kMost) return -1;
    amount *= 2;
  }
  return amount + (rest ? 1 : 0);
}

}  // namespace

std::expected<Quantity, std::string> Quantity::parse(std::string_view text) {
  if (text.empty()) return std::unexpected(std::string(kFormat));
  std::size_t at = 0;
  const auto is_digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  const bool negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') ++at;
  const std::size_t number = at;
  while (at < text.size() && text[at] == '0') ++at;
  if (at == text.size()) return of(0);
  const std::size_t first = at;
  while (is_digit(at)) ++at;
  std::string whole(text.substr(first, at - first));
  if (whole.empty()) whole = "0";
  std::string fraction;
  const std::size_t point = at;
  if (at < text.size() && text[at] == '.') {
    ++at;
    while (is_digit(at)) fraction += text[at++];
  }
  const bool has_number = point > number || !fraction.empty();
  const std::size_t suffix_start = at;
  while (at < text.size() && std::string_view("eEinumkKMGTP").find(text[at]) != std::string_view::npos) ++at;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  while (is_digit(at)) ++at;
  if (at < text.size()) return std::unexpected(std::string(kFormat));
  const auto found = unit_of(text.substr(suffix_start));
  if (!found) return std::unexpected(found.error());

  Quantity result;
  result.format = found->base == 2 ? Format::binary : found->format;
  const std::string digits = whole + fraction;
  std::int32_t precision = 0, scale = 0;
  std::int64_t mantissa = 1;
  if (found->base == 10) {
    scale = found->exponent;
    precision = 18 - static_cast<std::int32_t>(digits.size());
  } else if (fraction.empty()) {
    mantissa = std::int64_t{1} << found->exponent;
    precision = 15 - static_cast<std::int32_t>(whole.size()) -
                static_cast<std::int32_t>(static_cast<float>(found->exponent) * 3 / 10) - 1;
  } else {
    precision = -1;
  }
  result.exact = false;
  if (precision >= 0) {
    scale -= static_cast<std::int32_t>(fraction.size());
    std::int64_t value = 0;
    if (scale >= -9) {
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (!__builtin_mul_overflow(value, mantissa, &value)) {
        result.exact = true;
        result.value = negative ? -value : value;
        result.scale = scale;
      }
    }
  }
  if (!has_number && !result.exact) return std::unexpected(std::string(kNumber));
  const int shift = found->base == 2 ? found->exponent : 0;
  const std::int32_t exponent =
      (found->base == 10 ? found->exponent : 0) - static_cast<std::int32_t>(fraction.size());
  __int128 nanos = to_nanos(digits, exponent, shift);
  constexpr __int128 kCap = static_cast<__int128>(INT64_MAX) * 1'000'000'000;
  if (!result.exact && found->base == 2 && (nanos < 0 || nanos > kCap)) nanos = kCap;
  if (nanos < 0 || nanos > kMost) return std::unexpected(std::string(kRange));
  if (!result.exact && result.format == Format::binary && nanos > 0 && nanos < 1'000'000'000) {
    result.format = Format::decimal;
  }
  result.nanos = negative ? -nanos : nanos;
  return result;
}

Quantity Quantity::of(std::int64_t value) {
  Quantity result;
  result.nanos = static_cast<__int128>(value) * 1'000'000'000;
  result.value = value;
  return result;
}

std::expected<Quantity, std::string> Quantity::plus(const Quantity& other) const {
  Quantity result;
  result.nanos = nanos + other.nanos;
  if (result.nanos > kMost || result.nanos < -kMost) return std::unexpected(std::string(kRange));
  result.exact = false;
  result.format = nanos == 0 ? other.format : format;
  if (!exact || !other.exact) return result;
  std::int64_t left = value, right = other.value;
  if (right == 0) {
    result.value = value;
    result.scale = scale;
  } else if (left == 0) {
    result.value = right;
    result.scale = other.scale;
  } else {
    result.scale = std::min(scale, other.scale);
    if (!scale_up(left, scale - result.scale, left) || !scale_up(right, other.scale - result.scale, right))
      return result;
    if (__builtin_add_overflow(left, right, &result.value)) return result;
  }
  result.exact = true;
  return result;
}

std::expected<Quantity, std::string> Quantity::minus(const Quantity& other) const {
  Quantity negated = other;
  // Upstream's negation of the smallest value overflows to itself.
  // That is visible unless the sum overflows, too.
  if (!other.exact || other.value != INT64_MIN) {
    negated.nanos = -other.nanos;
    negated.value = -other.value;
  }
  auto result = plus(negated);
  if (result && !result->exact) result->nanos = nanos - other.nanos;
  return result;
}

bool Quantity::integer(std::int64_t& out) const {
  if (!exact || scale < 0) return false;
  return scale_up(value, scale, out);
}

double Quantity::approximate() const {
  if (!exact) return static_cast<double>(nanos) * std::pow(10.0, -9);
  const double base = static_cast<double>(value);
  return scale == 0 ? base : base * std::pow(10.0, scale);
}

std::string Quantity::text() const {
  constexpr __int128 kUnit = 1'000'000'000;
  __int128 amount = nanos < 0 ? -nanos : nanos;
  std::string suffix;
  if (format == Format::binary && amount % kUnit == 0 && amount >= 1024 * kUnit) {
    static constexpr std::string_view kBinary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    amount /= kUnit;
    std::size_t i = 0;
    for (; amount % 1024 == 0 && i + 1 < std::size(kBinary); amount /= 1024) ++i;
    suffix = kBinary[i];
  } else if (amount != 0) {
    static constexpr std::string_view kDecimal[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    int exponent = -9;
    for (; amount % 1000 == 0 && exponent < 18; amount /= 1000) exponent += 3;
    if (format != Format::exponent) {
      suffix = kDecimal[(exponent + 9) / 3];
    } else if (exponent != 0) {
      suffix = "e" + std::to_string(exponent);
    }
  }
  std::string digits;
  for (; amount > 0; amount /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(amount % 10)));
  return (nanos < 0 ? "-" : "") + (digits.empty() ? "0" : digits) + suffix;
}

}  // namespace podium::cel
