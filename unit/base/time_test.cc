// Formatting and parsing of Kubernetes timestamps.
#include "base/time.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

using namespace std::chrono;

Wall at(year_month_day date, nanoseconds since_midnight = {}) {
  return time_point_cast<Wall::duration>(sys_days(date) + since_midnight);
}

TEST(FormatTime, SecondsAndMicroseconds) {
  struct Case {
    const char* name;
    Wall time;
    const char *seconds, *micros;
  };
  const Case cases[] = {
      {"the epoch", Wall{}, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
      {"every field has its zeros", at(2026y / 1 / 2, 3h + 4min + 5s + 6us), "2026-01-02T03:04:05Z",
       "2026-01-02T03:04:05.000006Z"},
      {"fractions are cut, not rounded", at(2026y / 12 / 31, 24h - 1ns), "2026-12-31T23:59:59Z",
       "2026-12-31T23:59:59.999999Z"},
      {"a leap day", at(2024y / 2 / 29, 12h), "2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000000Z"},
      {"before the epoch", at(1969y / 12 / 31, 24h - 500ms), "1969-12-31T23:59:59Z",
       "1969-12-31T23:59:59.500000Z"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(format_time(c.time), c.seconds);
    EXPECT_EQ(format_micro_time(c.time), c.micros);
    EXPECT_EQ(parse_time(c.micros), floor<microseconds>(c.time));
  }
}

TEST(ParseTime, TakesAnyRfc3339Time) {
  const auto noon = at(2026y / 11 / 21, 12h);
  struct Case {
    const char* text;
    Wall time;
  };
  const Case cases[] = {
      {"2026-11-21T12:00:00Z", noon},
      {"2026-11-21t12:00:00z", noon},
      {"2026-11-21T14:30:00+02:30", noon},
      {"2026-11-21T04:00:00-08:00", noon},
      {"2026-11-22T00:00:00+12:00", noon},
      {"2026-11-21T12:00:00.5Z", noon + 500ms},
      {"2026-11-21T12:00:00.000000001Z", noon + 1ns},
      {"2026-11-21T12:00:00.0000000019Z", noon + 1ns},
      {"2026-11-21T14:00:00.25+02:00", noon + 250ms},
      {"2016-12-31T23:59:60Z", at(2017y / 1 / 1)},
      {"0001-01-01T00:00:00Z", at(1880y / 1 / 1)},
      {"9999-12-31T23:59:59Z", at(2096y / 12 / 31, 24h - 1s)},
  };
  for (const auto& c : cases) EXPECT_EQ(parse_time(c.text), c.time) << c.text;
}

TEST(ParseTime, WhatIsPrintedIsTheSameWhenItIsReadAgain) {
  for (const auto* text : {"2099-12-31T23:59:60Z", "2099-12-31T23:59:59.999999-23:59",
                           "1726-01-02T03:04:05+42:00", "0001-01-01T00:00:00+99:99"}) {
    const auto time = *parse_time(text);
    EXPECT_EQ(parse_time(format_micro_time(time)), std::chrono::floor<std::chrono::microseconds>(time))
        << text;
  }
}

TEST(ParseTime, TheDifferenceOfTwoTimesDoesNotOverflow) {
  const auto first = *parse_time("0001-01-01T00:00:00Z"), last = *parse_time("9999-12-31T23:59:60Z");
  EXPECT_GT(last - first, 0s);
  EXPECT_LT(first - last, 0s);
}

TEST(ParseTime, RefusesEverythingElse) {
  const char* const cases[] = {
      "",
      "now",
      "2026-11-21",
      "2026-11-21T12:00:00",
      "2026-11-21 12:00:00Z",
      "2026-11-21T12:00Z",
      "26-11-21T12:00:00Z",
      "2026-1-21T12:00:00Z",
      "2026-13-21T12:00:00Z",
      "2026-00-21T12:00:00Z",
      "2026-02-29T12:00:00Z",
      "2026-11-31T12:00:00Z",
      "2026-11-21T24:00:00Z",
      "2026-11-21T12:60:00Z",
      "2026-11-21T12:00:61Z",
      "2026-11-21T12:00:00.Z",
      "2026-11-21T12:00:00+02",
      "2026-11-21T12:00:00+0200",
      "2026-11-21T12:00:00+25:00",
      "2026-11-21T12:00:00-02:61",
      "2026-11-21T12:00:00Z ",
      "2026-11-21T12:00:00ZZ",
      "-026-11-21T12:00:00Z",
  };
  for (const auto* text : cases) EXPECT_EQ(parse_time(text), std::nullopt) << '"' << text << '"';
}

}  // namespace
}  // namespace podium
