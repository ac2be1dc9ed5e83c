#include "base/duration.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

using namespace std::chrono_literals;

struct Case {
  std::string text;
  std::optional<std::chrono::nanoseconds> value;
  std::string printed;  // where value is there
};

TEST(Duration, IsReadAndPrintedAsGoDoes) {
  const Case cases[] = {
      {"0", 0ns, "0s"},
      {"0s", 0ns, "0s"},
      {"15s", 15s, "15s"},
      {"+5s", 5s, "5s"},
      {"-5s", -5s, "-5s"},
      {"1.5h", 90min, "1h30m0s"},
      {"10m", 10min, "10m0s"},
      {"1h1ns", 1h + 1ns, "1h0m0.000000001s"},
      {"100ms", 100ms, "100ms"},
      {"1500us", 1500us, "1.5ms"},
      {"2\u00b5s", 2us, "2\u00b5s"},
      {"2\u03bcs", 2us, "2\u00b5s"},
      {".5s", 500ms, "500ms"},
      {"1.s", 1s, "1s"},
      {"720h", 720h, "720h0m0s"},
      {"", std::nullopt, ""},
      {"15", std::nullopt, ""},
      {"s", std::nullopt, ""},
      {".s", std::nullopt, ""},
      {"1d", std::nullopt, ""},
      {"1 s", std::nullopt, ""},
      {"--1s", std::nullopt, ""},
      {"1e3s", std::nullopt, ""},
      {"1000000000000h", std::nullopt, ""},
      {"99999999999999999999s", std::nullopt, ""},
      {"9223372036854775807ns", std::chrono::nanoseconds::max(), "2562047h47m16.854775807s"},
      {"9223372036854775808ns", std::nullopt, ""},
      {"-9223372036854775808ns", std::chrono::nanoseconds::min(), "-2562047h47m16.854775808s"},
      {"-9223372036854775809ns", std::nullopt, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(parse_duration(c.text), c.value);
    EXPECT_EQ(c.value ? format_duration(*c.value) : "", c.printed);
  }
}

}  // namespace
}  // namespace podium
