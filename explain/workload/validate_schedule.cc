#include "explain/workload/validate_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ascii.h"

namespace podium::explain {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Bounds {
  std::int64_t least, most;
  std::span<const std::string_view> names = {};  // the first is `least`
};

// Returns the error, else sets `number`.
std::string read_number(std::string_view text, const Bounds& bounds, std::int64_t& number) {
  if (const auto name = std::ranges::find(bounds.names, to_lower(std::string(text)));
      name != bounds.names.end()) {
    number = bounds.least + (name - bounds.names.begin());
    return {};
  }
  const auto digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [read, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || read != digits.data() + digits.size() || digits.empty())
    return fmt::format("failed to parse int from {0}: strconv.Atoi: parsing \"{0}\": invalid syntax", text);
  return number < 0 ? fmt::format("negative number ({}) not allowed: {}", number, text) : std::string();
}

std::string range_error(std::string_view text, const Bounds& bounds) {
  const auto range_and_step = split(text, "/");
  const auto ends = split(range_and_step[0], "-");
  const bool is_one = ends.size() == 1;
  auto first = bounds.least, last = bounds.most;
  std::int64_t step = 1;
  if (ends[0] != "*" && ends[0] != "?") {
    if (auto error = read_number(ends[0], bounds, first); !error.empty()) return error;
    last = first;
    if (ends.size() > 2) return fmt::format("too many hyphens: {}", text);
    if (!is_one) {
      if (auto error = read_number(ends[1], bounds, last); !error.empty()) return error;
    }
  }
  if (range_and_step.size() > 2) return fmt::format("too many slashes: {}", text);
  if (range_and_step.size() == 2) {
    if (auto error = read_number(range_and_step[1], {0, 0}, step); !error.empty()) return error;
    if (is_one) last = bounds.most;
  }
  if (first < bounds.least)
    return fmt::format("beginning of range ({}) below minimum ({}): {}", first, bounds.least, text);
  if (last > bounds.most)
    return fmt::format("end of range ({}) above maximum ({}): {}", last, bounds.most, text);
  if (first > last)
    return fmt::format("beginning of range ({}) beyond end of range ({}): {}", first, last, text);
  return step == 0 ? fmt::format("step of range should be a positive number: {}", text) : std::string();
}

// Returns the error of Go's time.ParseDuration: a duration is numbers, each with a unit.
std::string duration_error(std::string_view text) {
  const auto invalid = fmt::format("invalid duration \"{}\"", text);
  auto rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return {};
  if (rest.empty()) return invalid;
  const auto take_digits = [&rest] {
    const auto digits = rest.substr(0, rest.find_first_not_of("0123456789"));
    rest.remove_prefix(digits.size());
    return digits;
  };
  struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
  };
  constexpr Unit kUnits[] = {
      {"ns", 1},         {"us", 1'000},        {"µs", 1'000},         {"μs", 1'000},
      {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  std::uint64_t sum = 0;
  while (!rest.empty()) {
    const auto whole = take_digits();
    std::string_view fraction;
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      fraction = take_digits();
    }
    if (whole.empty() && fraction.empty()) return invalid;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
    if (!whole.empty() && (error != std::errc() || number > kMost)) return invalid;
    const auto name = rest.substr(0, rest.find_first_of("0123456789."));
    if (name.empty()) return fmt::format("missing unit in duration \"{}\"", text);
    rest.remove_prefix(name.size());
    const auto* unit = std::ranges::find(kUnits, name, &Unit::name);
    if (unit == std::end(kUnits)) return fmt::format("unknown unit \"{}\" in duration \"{}\"", name, text);
    if (number > kMost / unit->nanoseconds) return invalid;
    sum += number * unit->nanoseconds;
    if (sum > kMost) return invalid;
  }
  return sum == kMost && !text.starts_with('-') ? invalid : std::string();
}

std::string descriptor_error(std::string_view schedule) {
  constexpr std::string_view kKnown[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                         "@daily",  "@midnight", "@hourly"};
  constexpr std::string_view kEvery = "@every ";
  if (std::ranges::find(kKnown, schedule) != std::end(kKnown)) return {};
  if (!schedule.starts_with(kEvery)) return fmt::format("unrecognized descriptor: {}", schedule);
  const auto duration = schedule.substr(kEvery.size());
  const auto error = duration_error(duration);
  return error.empty() ? error : fmt::format("failed to parse duration {}: time: {}", schedule, error);
}

}  // namespace

std::string schedule_error(std::string_view schedule) {
  if (schedule.contains("TZ")) return "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
  if (schedule.starts_with('@')) return descriptor_error(schedule);
  std::string spaces(schedule);
  std::ranges::replace_if(spaces, [](unsigned char c) { return std::isspace(c) != 0; }, ' ');
  const auto fields = split_without_empty(spaces, " ");
  const std::array<Bounds, 5> bounds = {Bounds{0, 59}, Bounds{0, 23}, Bounds{1, 31}, Bounds{1, 12, kMonths},
                                        Bounds{0, 6, kDays}};
  if (fields.size() != bounds.size())
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " "));
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    for (const auto part : split_without_empty(fields[i], ",")) {
      if (auto error = range_error(part, bounds[i]); !error.empty()) return error;
    }
  }
  return {};
}

}  // namespace podium::explain
