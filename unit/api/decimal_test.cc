#include "api/values/decimal.h"

#include <gtest/gtest.h>

#include <string>

namespace podium::api {
namespace {

TEST(Decimal, NumbersAndPercentages) {
  const struct {
    const char* text;
    std::optional<std::int64_t> whole, signed_number, decimal;
  } cases[] = {
      {"25", 25, 25, 25},
      {"-25", -25, -25, -25},
      {"0", 0, 0, 0},
      {"+25", {}, 25, {}},
      {"025", 25, 25, {}},
      {"+-25", {}, {}, {}},
      {"25 ", {}, {}, {}},
      {" 25", {}, {}, {}},
      {"25.0", {}, {}, {}},
      {"0x19", {}, {}, {}},
      {"", {}, {}, {}},
      {"9223372036854775807", INT64_MAX, INT64_MAX, INT64_MAX},
      {"9223372036854775808", {}, {}, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(whole_number(c.text), c.whole);
    EXPECT_EQ(parse_integer(c.text), c.signed_number);
    EXPECT_EQ(decimal_integer(c.text), c.decimal);
    EXPECT_EQ(percentage(c.text), std::nullopt);
    EXPECT_EQ(percentage(std::string(c.text) + "%"), c.whole);
  }
  EXPECT_EQ(whole_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(whole_number<std::uint64_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace podium::api
