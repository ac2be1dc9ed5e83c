#include "cel/quantity.h"

#include <charconv>
#include <cmath>
#include <optional>
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

// The parts of a quantity's text.
struct QuantityText {
  bool is_negative = false, has_number = false;
  bool is_bare_zero = false;  // only zeros, without a suffix
  std::string digits;         // before and after the point, without leading zeros
  std::int32_t decimals = 0;  // those after the point
  std::string_view suffix;
};

// nullopt: the text does not have the format of a quantity. Source: resource.parseQuantityString.
std::optional<QuantityText> split_quantity(std::string_view text) {
  if (text.empty()) return std::nullopt;
  QuantityText out;
  std::size_t at = 0;
  const auto is_one_of = [&](std::string_view set) { return at < text.size() && set.contains(text[at]); };
  const auto skip_all = [&](std::string_view set) {
    const auto start = at;
    while (is_one_of(set)) ++at;
    return text.substr(start, at - start);
  };
  constexpr std::string_view kDigits = "0123456789", kSigns = "+-";
  out.is_negative = text[0] == '-';
  if (is_one_of(kSigns)) ++at;
  const auto number = at;
  skip_all("0");
  if (at == text.size()) {
    out.is_bare_zero = true;
    return out;
  }
  out.digits = skip_all(kDigits);
  if (out.digits.empty()) out.digits = "0";
  out.has_number = at > number;
  if (is_one_of(".")) {
    ++at;
    const auto decimals = skip_all(kDigits);
    out.decimals = static_cast<std::int32_t>(decimals.size());
    out.digits += decimals;
    out.has_number = out.has_number || !decimals.empty();
  }
  const auto suffix = at;
  skip_all("eEinumkKMGTP");
  if (is_one_of(kSigns)) ++at;
  skip_all(kDigits);
  if (at < text.size()) return std::nullopt;
  out.suffix = text.substr(suffix);
  return out;
}

// The power of ten of the last digit.
std::int32_t decimal_scale(const QuantityText& text, const Unit& unit) {
  return (unit.base == 10 ? unit.exponent : 0) - text.decimals;
}

// How many more digits upstream's int64Amount would take; negative: it does not take this text.
// Source: resource.ParseQuantity.
std::int32_t spare_digits(const QuantityText& text, const Unit& unit) {
  const auto digits = static_cast<std::int32_t>(text.digits.size());
  if (unit.base == 10) return 18 - digits;
  if (text.decimals > 0) return -1;
  return 15 - digits - static_cast<std::int32_t>(static_cast<float>(unit.exponent) * 3 / 10) - 1;
}

struct Int64Amount {
  std::int64_t value = 0;
  std::int32_t scale = 0;
};

// nullopt: the amount does not have this form.
std::optional<Int64Amount> int64_amount(const QuantityText& text, const Unit& unit) {
  const auto scale = decimal_scale(text, unit);
  if (spare_digits(text, unit) < 0 || scale < -9) return std::nullopt;
  const auto mantissa = unit.base == 2 ? std::int64_t{1} << unit.exponent : 1;
  std::int64_t value = 0;
  std::from_chars(text.digits.data(), text.digits.data() + text.digits.size(), value);
  if (__builtin_mul_overflow(value, mantissa, &value)) return std::nullopt;
  return Int64Amount{text.is_negative ? -value : value, scale};
}

}  // namespace

std::expected<Quantity, std::string> Quantity::parse(std::string_view text) {
  const auto written = split_quantity(text);
  if (!written) return std::unexpected(std::string(kFormat));
  if (written->is_bare_zero) return of(0);
  const auto unit = unit_of(written->suffix);
  if (!unit) return std::unexpected(unit.error());
  const auto amount = int64_amount(*written, *unit);
  if (!written->has_number && !amount) return std::unexpected(std::string(kNumber));

  Quantity result;
  result.exact = amount.has_value();
  if (amount) {
    result.value = amount->value;
    result.scale = amount->scale;
  }
  result.format = unit->base == 2 ? Format::binary : unit->format;
  constexpr __int128 kCap = static_cast<__int128>(INT64_MAX) * 1'000'000'000;
  auto nanos =
      to_nanos(written->digits, decimal_scale(*written, *unit), unit->base == 2 ? unit->exponent : 0);
  if (!result.exact && unit->base == 2 && (nanos < 0 || nanos > kCap)) nanos = kCap;
  if (nanos < 0 || nanos > kMost) return std::unexpected(std::string(kRange));
  if (!result.exact && result.format == Format::binary && nanos > 0 && nanos < 1'000'000'000) {
    result.format = Format::decimal;
  }
  result.nanos = written->is_negative ? -nanos : nanos;
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
  // Upstream's negation of the smallest value overflows to itself: visible unless the sum also overflows.
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
