#include "app/render/amounts.h"

#include <fmt/format.h>
#include <array>
#include <cstdint>
#include <utility>

#include "api/admission/quota.h"
#include "api/values/quantity.h"
#include "api/values/resource_names.h"

namespace podium::render {
namespace {

using Unit = std::pair<int, const char*>;
constexpr std::array<Unit, 5> kUnits{{{50, "Pi"}, {40, "Ti"}, {30, "Gi"}, {20, "Mi"}, {10, "Ki"}}};

enum class Round : std::uint8_t { up, down };

// Units and a part of one with `digits` digits, without zeros at the end: 3 and 250 of 3 digits are "3.25".
std::string decimal(std::int64_t units, std::int64_t part, int digits) {
  if (part == 0) return fmt::format("{}", units);
  auto text = fmt::format("{}.{:0{}}", units, part, digits);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string cpu(const api::Quantity& quantity) {
  const auto milli = quantity.milli_value();
  return milli < 1000 ? quantity.text() : decimal(milli / 1000, milli % 1000, 3);
}

// Writes the bytes with two decimals of the unit; `round` applies to the remainder.
std::string in_unit(std::int64_t bytes, const Unit& unit, Round round) {
  const auto size = std::int64_t{1} << unit.first;
  auto whole = bytes / size;
  const auto scaled = bytes % size * 100;
  auto hundredths = scaled / size;
  if (round == Round::up && scaled % size != 0 && ++hundredths == 100) {
    ++whole;
    hundredths = 0;
  }
  return decimal(whole, hundredths, 2) + unit.second;
}

std::string rounded(std::string_view resource, const api::Quantity& quantity, Round round) {
  if (resource == "cpu") return cpu(quantity);
  const auto bytes = quantity.value();
  if (!api::is_in_bytes(resource)) return quantity.text();
  for (const auto& unit : kUnits) {
    const auto size = std::int64_t{1} << unit.first;
    // An amount that is less than a hundredth below this unit is rounded up to it.
    const auto may_lack = round == Round::up ? size / 1024 / 100 : 0;
    if (bytes >= size - may_lack) return in_unit(bytes, unit, round);
  }
  return quantity.text();
}

}  // namespace

std::string rounded_up(std::string_view resource, const std::string& quantity) {
  const auto parsed = api::Quantity::parse(quantity);
  return parsed && !parsed->is_negative() ? rounded(resource, *parsed, Round::up) : quantity;
}

std::string rounded_down(std::string_view resource, const api::Quantity& quantity) {
  return quantity.is_negative() ? quantity.text() : rounded(resource, quantity, Round::down);
}

std::string exact(std::string_view resource, const api::Quantity& quantity) {
  return quantity.is_negative() ? quantity.text() : api::quota_text(resource, quantity);
}

std::string requested_of_free(std::string_view resource, const std::string& requested,
                              const std::string& free) {
  const auto wants = api::Quantity::parse(requested), has = api::Quantity::parse(free);
  if (!wants || !has || wants->is_negative() || has->is_negative())
    return fmt::format("{} of {}", requested, free);
  if (resource == "cpu") return fmt::format("{} of {}", wants->text(), has->text());
  auto left = rounded(resource, *has, Round::down);
  const auto shown = api::Quantity::parse(left);
  if (*wants <= *has && (!shown || *shown < *wants)) left = exact(resource, *has);
  return fmt::format("{} of {}", exact(resource, *wants), left);
}

}  // namespace podium::render
