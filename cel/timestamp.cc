#include "cel/timestamp.h"

#include <fmt/format.h>
#include <charconv>
#include <chrono>

#include "base/ascii.h"
#include "cel/functions.h"
#include "cel/go_text.h"

namespace podium::cel {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Value shifted(const Timestamp& time, std::int64_t nanos) {
  Timestamp result = time;
  std::int64_t rest = result.nanos + nanos % kSecond;
  std::int64_t carry = nanos / kSecond;
  if (rest < 0) {
    rest += kSecond;
    --carry;
  } else if (rest >= kSecond) {
    rest -= kSecond;
    ++carry;
  }
  result.nanos = static_cast<std::int32_t>(rest);
  if (__builtin_add_overflow(result.seconds, carry, &result.seconds) || !is_in_range(result)) {
    return Value::error("timestamp overflow");
  }
  return Value::timestamp(result);
}

struct Civil {
  std::chrono::year_month_day date;
  std::int64_t day = 0;      // since 1970
  std::int64_t seconds = 0;  // of the day
};
Civil civil(const Timestamp& time, std::int64_t offset) {
  const std::int64_t local = time.seconds + offset;
  std::int64_t day = local / 86400, seconds = local % 86400;
  if (seconds < 0) {
    seconds += 86400;
    --day;
  }
  return {std::chrono::year_month_day(std::chrono::sys_days(std::chrono::days(day))), day, seconds};
}

bool digits(std::string_view text, std::size_t at, std::size_t count, int& out) {
  if (at + count > text.size()) return false;
  out = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    out = out * 10 + (text[i] - '0');
  }
  return true;
}

enum class Part {
  year,
  month,
  day_of_year,
  day_of_month,
  date,
  day_of_week,
  hours,
  minutes,
  seconds,
  milliseconds
};

Value part_of(const Timestamp& time, std::int64_t offset, Part part) {
  const Civil local = civil(time, offset);
  const auto date = local.date;
  switch (part) {
    case Part::year:
      return Value::integer(static_cast<int>(date.year()));
    case Part::month:
      return Value::integer(static_cast<unsigned>(date.month()) - 1);
    case Part::day_of_year: {
      const std::chrono::sys_days first{date.year() / 1 / 1};
      return Value::integer(local.day - first.time_since_epoch().count());
    }
    case Part::day_of_month:
      return Value::integer(static_cast<unsigned>(date.day()) - 1);
    case Part::date:
      return Value::integer(static_cast<unsigned>(date.day()));
    case Part::day_of_week: {
      const std::chrono::weekday weekday{std::chrono::sys_days(std::chrono::days(local.day))};
      return Value::integer(weekday.c_encoding());
    }
    case Part::hours:
      return Value::integer(local.seconds / 3600);
    case Part::minutes:
      return Value::integer(local.seconds / 60 % 60);
    case Part::seconds:
      return Value::integer(local.seconds % 60);
    case Part::milliseconds:
      return Value::integer(time.nanos / 1'000'000);
  }
  return Value();
}

// "+01:30", "-08:00", "UTC". Other names need a database of time zones, which this evaluator does not read.
bool parse_zone(const std::string& zone, std::int64_t& offset, std::string& fault) {
  const auto colon = zone.find(':');
  if (colon == std::string::npos) {
    offset = 0;
    if (zone == "UTC" || zone.empty()) return true;
    fault = "unsupported time zone: " + zone;
    return false;
  }
  const auto number = [&](std::string_view text, std::int64_t& out) {
    std::string_view bare = text.starts_with('+') ? text.substr(1) : text;
    const auto [end, code] = std::from_chars(bare.data(), bare.data() + bare.size(), out);
    if (!bare.empty() && code == std::errc() && end == bare.data() + bare.size()) return true;
    fault = "strconv.Atoi: parsing " + go_quoted(text) + ": invalid syntax";
    return false;
  };
  std::int64_t hours = 0, minutes = 0;
  const std::string_view view = zone;
  if (!number(view.substr(0, colon), hours) || !number(view.substr(colon + 1), minutes)) return false;
  if (std::abs(hours) > 100000 || std::abs(minutes) > 100000) {
    fault = "unsupported time zone: " + zone;
    return false;
  }
  offset = 60 * (zone[0] == '-' ? hours * 60 - minutes : hours * 60 + minutes);
  return true;
}

template <Part part>
Value get(const Call& call) {
  const Value& value = call.args[0];
  if (value.is(Kind::duration)) {
    constexpr std::int64_t kUnit = part == Part::hours     ? 3600 * kSecond
                                   : part == Part::minutes ? 60 * kSecond
                                   : part == Part::seconds ? kSecond
                                                           : 1'000'000;
    return Value::integer(value.as_int() / kUnit);
  }
  std::int64_t offset = 0;
  std::string fault;
  if (call.args.size() == 2 && !parse_zone(call.args[1].text(), offset, fault)) return Value::error(fault);
  return part_of(value.as_timestamp(), offset, part);
}

}  // namespace

Value add_times(const Value& left, const Value& right) {
  if (left.is(Kind::timestamp)) {
    return right.is(Kind::duration) ? shifted(left.as_timestamp(), right.as_int())
                                    : Value::no_such_overload();
  }
  if (right.is(Kind::timestamp)) return shifted(right.as_timestamp(), left.as_int());
  if (!right.is(Kind::duration)) return Value::no_such_overload();
  std::int64_t sum = 0;
  if (__builtin_add_overflow(left.as_int(), right.as_int(), &sum)) return Value::error("integer overflow");
  return Value::duration(sum);
}

Value subtract_times(const Value& left, const Value& right) {
  if (left.is(Kind::timestamp) && right.is(Kind::timestamp)) {
    const Timestamp &a = left.as_timestamp(), &b = right.as_timestamp();
    std::int64_t nanos = 0;
    if (__builtin_mul_overflow(a.seconds - b.seconds, kSecond, &nanos) ||
        __builtin_add_overflow(nanos, std::int64_t{a.nanos} - b.nanos, &nanos)) {
      return Value::error("integer overflow");
    }
    return Value::duration(nanos);
  }
  if (!right.is(Kind::duration)) return Value::no_such_overload();
  if (left.is(Kind::timestamp)) {
    if (right.as_int() == INT64_MIN) return Value::error("integer overflow");
    return shifted(left.as_timestamp(), -right.as_int());
  }
  std::int64_t rest = 0;
  if (__builtin_sub_overflow(left.as_int(), right.as_int(), &rest)) return Value::error("integer overflow");
  return Value::duration(rest);
}

bool is_in_range(const Timestamp& time) {
  return time.seconds >= -62135596800 && time.seconds <= 253402300799;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool fits = digits(text, 0, 4, year) && digits(text, 5, 2, month) && digits(text, 8, 2, day) &&
                    digits(text, 11, 2, hour) && digits(text, 14, 2, minute) && digits(text, 17, 2, second);
  if (!fits || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  Timestamp result;
  std::size_t at = 19;
  if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
    std::int32_t unit = 100'000'000;
    const std::size_t first = ++at;
    for (; at < text.size() && is_digit(text[at]); ++at, unit /= 10) {
      result.nanos += (text[at] - '0') * unit;
    }
    if (at == first) return std::nullopt;
  }
  if (at >= text.size()) return std::nullopt;
  if (text[at] == '+' || text[at] == '-') {
    int hours = 0, minutes = 0;
    if (!digits(text, at + 1, 2, hours) || !digits(text, at + 4, 2, minutes) || text[at + 3] != ':' ||
        hours > 24 || minutes > 60 || text.size() != at + 6) {
      return std::nullopt;
    }
    result.offset = (text[at] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
  } else if (text.substr(at) != "Z") {
    return std::nullopt;
  }
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  result.seconds = std::int64_t{days} * 86400 + hour * 3600 + minute * 60 + second - result.offset;
  return result;
}

std::string duration_text(std::int64_t nanos) {
  const double seconds = static_cast<double>(nanos / kSecond) + static_cast<double>(nanos % kSecond) / 1e9;
  return go_decimal(seconds) + "s";
}

std::string timestamp_text(const Timestamp& time) {
  const Civil local = civil(time, time.offset);
  const auto date = local.date;
  std::string out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                local.seconds / 3600, local.seconds / 60 % 60, local.seconds % 60);
  if (time.nanos != 0) {
    std::string fraction = fmt::format(".{:09}", time.nanos);
    while (fraction.back() == '0') fraction.pop_back();
    out += fraction;
  }
  if (time.offset == 0) return out + "Z";
  const int offset = std::abs(time.offset);
  return out + fmt::format("{}{:02}:{:02}", time.offset < 0 ? '-' : '+', offset / 3600, offset / 60 % 60);
}

void add_time(Table& table) {
  constexpr Kinds kTime = bit(Kind::timestamp), kZone = bit(Kind::string), kSpan = bit(Kind::duration);
  const auto date = [&](std::string_view name, Implementation run) {
    table.push_back({.name = name, .overloads = {{{kTime}, run}, {{kTime, kZone}, run}}});
  };
  const auto clock = [&](std::string_view name, Implementation run) {
    table.push_back({.name = name, .overloads = {{{kTime}, run}, {{kTime, kZone}, run}, {{kSpan}, run}}});
  };
  date("getFullYear", get<Part::year>);
  date("getMonth", get<Part::month>);
  date("getDayOfYear", get<Part::day_of_year>);
  date("getDayOfMonth", get<Part::day_of_month>);
  date("getDate", get<Part::date>);
  date("getDayOfWeek", get<Part::day_of_week>);
  clock("getHours", get<Part::hours>);
  clock("getMinutes", get<Part::minutes>);
  clock("getSeconds", get<Part::seconds>);
  clock("getMilliseconds", get<Part::milliseconds>);
}

}  // namespace podium::cel
