// Quantities, durations, times and names: one of each on every line.
#include <chrono>
#include <string>

#include "api/validate/validate.h"
#include "api/values/quantity.h"
#include "base/duration.h"
#include "base/time.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzzers.h"

namespace podium::fuzz {
namespace {

using api::Quantity;

void check_quantity(std::string_view text) {
  const auto parsed = Quantity::parse(text);
  if (!parsed) return;
  auto printed = parsed->text();
  if (planted() && parsed->is_negative() && printed.size() > 12) printed += "k";
  const auto again = Quantity::parse(printed);
  require(again && *again == *parsed, "a quantity that is printed is the same",
          std::string(text) + " " + printed);
  require(parsed->is_negative() == (parsed->value() < 0), "rounding keeps the sign", text);
  require(parsed->is_zero() == (parsed->milli_value() == 0), "only nothing is nothing", text);
  require(Quantity::from_units(parsed->value()) >= *parsed || parsed->is_negative() ||
              parsed->value() == INT64_MAX,
          "units are rounded up", text);
  const auto milli = parsed->rounded_up_to_milli();
  require(milli.is_negative() == parsed->is_negative() && (milli >= *parsed || parsed->is_negative()),
          "thousandths are rounded up", text);
  require((*parsed + *parsed) - *parsed == *parsed || (*parsed + *parsed).text().size() > 20,
          "sums are exact", text);
  (void)(*parsed - Quantity::from_units(INT64_MIN)).text();
}

void check_duration(std::string_view text) {
  const auto parsed = parse_duration(text);
  if (!parsed) return;
  const auto printed = format_duration(*parsed);
  const auto again = parse_duration(printed);
  require(again && *again == *parsed, "a duration that is printed is the same",
          std::string(text) + " " + printed);
}

void check_time(std::string_view text) {
  const auto parsed = parse_time(text);
  if (!parsed) return;
  const auto printed = format_micro_time(*parsed);
  const auto again = parse_time(printed);
  require(again && *parsed - *again < std::chrono::microseconds(1) && *parsed >= *again,
          "a time that is printed is the same", std::string(text) + " " + printed);
  require(parse_time(format_time(*parsed)).has_value(), "a time that is printed can be read", text);
}

void check_names(std::string_view text) {
  require(!api::is_dns_label(text) || api::is_dns_subdomain(text), "a label is a subdomain", text);
  require(!api::is_dns_label(text) || api::is_label_value(text), "a DNS label is a label's value", text);
  require(!api::is_qualified_name(text) || text.size() <= 317, "names have a bound", text);
}

}  // namespace

void scalars(std::string_view input) {
  for (std::size_t begin = 0; begin <= input.size();) {
    const auto end = std::min(input.find('\n', begin), input.size());
    const auto line = input.substr(begin, end - begin);
    check_quantity(line);
    check_duration(line);
    check_time(line);
    check_names(line);
    begin = end + 1;
  }
}

}  // namespace podium::fuzz
