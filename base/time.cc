#include "base/time.h"

#include <algorithm>

#include "base/ascii.h"

namespace podium {
namespace {

using namespace std::chrono;

// Appends `value` with exactly this many digits, and the text that follows it. Each renewal of a lease
// formats two times, so this avoids fmt.
void put(std::int64_t value, int digits, char then, std::string& out) {
  const auto at = out.size();
  out.append(static_cast<std::size_t>(digits), '0');
  for (auto i = at + static_cast<std::size_t>(digits); i-- > at; value /= 10)
    out[i] = static_cast<char>('0' + value % 10);
  out += then;
}

// Wall counts nanoseconds in 64 bits, which is 292 years. Years are clamped to leap years so near to each
// other that the difference of two times does not overflow.
constexpr int kFirst = 1880, kLast = 2096;

// A Wall has a year from 1677 to 2262.
std::string format(Wall t, bool micros) {
  const auto whole = floor<seconds>(t);
  const auto day = floor<days>(whole);
  const year_month_day date(day);
  const hh_mm_ss clock(whole - day);
  std::string out;
  put(static_cast<int>(date.year()), 4, '-', out);
  put(static_cast<unsigned>(date.month()), 2, '-', out);
  put(static_cast<unsigned>(date.day()), 2, 'T', out);
  put(clock.hours().count(), 2, ':', out);
  put(clock.minutes().count(), 2, ':', out);
  put(clock.seconds().count(), 2, micros ? '.' : 'Z', out);
  if (micros) put(duration_cast<microseconds>(t - whole).count(), 6, 'Z', out);
  return out;
}

// Reads exactly `digits` decimal digits at the front of `text` and drops them.
std::optional<int> take(std::string_view& text, int digits) {
  if (text.size() < static_cast<std::size_t>(digits)) return std::nullopt;
  int value = 0;
  for (int i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool skip(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string format_time(Wall t) { return format(t, false); }
std::string format_micro_time(Wall t) { return format(t, true); }

std::optional<Wall> parse_time(std::string_view text) {
  const auto y = take(text, 4);
  if (!y || !skip(text, '-')) return std::nullopt;
  const auto mo = take(text, 2);
  if (!mo || !skip(text, '-')) return std::nullopt;
  const auto d = take(text, 2);
  if (!d || text.empty() || (text.front() != 'T' && text.front() != 't')) return std::nullopt;
  text.remove_prefix(1);
  const auto h = take(text, 2);
  if (!h || !skip(text, ':')) return std::nullopt;
  const auto mi = take(text, 2);
  if (!mi || !skip(text, ':')) return std::nullopt;
  const auto s = take(text, 2);
  if (!s) return std::nullopt;
  nanoseconds fraction{0};
  if (skip(text, '.')) {
    std::int64_t unit = 100'000'000;
    if (text.empty() || !is_digit(text.front())) return std::nullopt;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), unit /= 10) {
      fraction += nanoseconds((text.front() - '0') * unit);
    }
  }
  seconds offset{0};
  if (!skip(text, 'Z') && !skip(text, 'z')) {
    if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
    const int sign = text.front() == '+' ? 1 : -1;
    text.remove_prefix(1);
    const auto oh = take(text, 2);
    if (!oh || !skip(text, ':')) return std::nullopt;
    const auto om = take(text, 2);
    if (!om || *oh > 24 || *om > 60) return std::nullopt;  // Go's bounds
    offset = sign * (hours(*oh) + minutes(*om));
  }
  const year_month_day date{year(std::clamp(*y, kFirst, kLast)), month(*mo), day(*d)};
  if (!text.empty() || !date.ok() || *h > 23 || *mi > 59 || *s > 60) return std::nullopt;
  const auto time = time_point_cast<Wall::duration>(sys_days(date) + hours(*h) + minutes(*mi) + seconds(*s) -
                                                    offset + duration_cast<Wall::duration>(fraction));
  // An offset or a leap second may lead outside of these years.
  return std::clamp<Wall>(time, sys_days(year(kFirst) / 1 / 1),
                          sys_days(year(kLast + 1) / 1 / 1) - Wall::duration(1));
}

}  // namespace podium
