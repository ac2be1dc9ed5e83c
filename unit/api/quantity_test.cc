#include "api/values/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace podium::api {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
constexpr auto kMin = std::numeric_limits<std::int64_t>::min();

TEST(Quantity, Parses) {
  struct Case {
    std::string text;
    std::int64_t value, milli;
    std::string canonical;
  };
  const Case cases[] = {
      {"0", 0, 0, "0"},
      {"00", 0, 0, "0"},
      {"1", 1, 1000, "1"},
      {"+1", 1, 1000, "1"},
      {"-1", -1, -1000, "-1"},
      {"250m", 1, 250, "250m"},
      {"0.5", 1, 500, "500m"},
      {".5", 1, 500, "500m"},
      {"5.", 5, 5000, "5"},
      {"0.1m", 1, 1, "100u"},
      {"-0.1m", -1, -1, "-100u"},
      {"100500u", 1, 101, "100500u"},
      {"1n", 1, 1, "1n"},
      {"0.1n", 1, 1, "1n"},
      {"134217728500m", 134217729, 134217728500, "134217728500m"},
      {"1k", 1000, 1000000, "1k"},
      {"1500", 1500, 1500000, "1500"},
      {"12e6", 12000000, 12000000000, "12M"},
      {"1E3", 1000, 1000000, "1k"},
      {"250e-3", 1, 250, "250m"},
      {"1e+3", 1000, 1000000, "1k"},
      {"1E", 1000000000000000000, kMax, "1E"},
      {"1Ki", 1024, 1024000, "1024"},
      {"1.5Gi", 1610612736, 1610612736000, "1610612736"},
      {"0.5Ki", 512, 512000, "512"},
      {"6.235193344151697334751059Ei", 7188688491853972722, kMax, "7188688491853972721007767221n"},
      {"m", 0, 0, "0"},
      {".Ti", 0, 0, "0"},
      {".e-9", 0, 0, "0"},
      {"8Ei", kMax, kMax, "9223372036854775807"},  // binary quantities are capped
      {"9223372036854775807", kMax, kMax, "9223372036854775807"},
      {"9223372036854775808", kMax, kMax, "9223372036854775808"},
      {"1e30", kMax, kMax, "170141183460469231731687303715884105727n"},
      {"-1e30", kMin, kMin, "-170141183460469231731687303715884105728n"},
      {"1e99999999999", kMax, kMax, "170141183460469231731687303715884105727n"},
      {"1e-99999999999", 1, 1, "1n"},
      {"0.0000000000000000000000000000000000000000000000001", 1, 1, "1n"},
      {"1.00000000000000000000000000000000000000000000000000", 1, 1000, "1"},
      {"123456789012345678901234567890123456789012345678901234567890", kMax, kMax,
       "170141183460469231731687303715884105727n"},
  };
  for (const auto& test : cases) {
    const auto parsed = Quantity::parse(test.text);
    ASSERT_TRUE(parsed) << test.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->value(), test.value) << test.text;
    EXPECT_EQ(parsed->milli_value(), test.milli) << test.text;
    EXPECT_EQ(parsed->text(), test.canonical) << test.text;
  }
}

TEST(Quantity, RefusesWhatTheApiRefuses) {
  for (const std::string text :
       {"",       " 1",      "1 ", "1.1.M", "1+1.0M", "0.1mi", "0.1am", "aoeu",  ".5i", "1i",
        "-3.01i", "-3.01e-", "1e", "1KI",   "1e3Mi",  "1mm",   "0x10",  "1_000", "--1", "1e+-3"}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
  }
}

// Go takes a text without digits for 0 where its fast path reads it, and refuses it elsewhere.
TEST(Quantity, RefusesATextWithoutDigitsWhereGoDoes) {
  for (const char* text : {"e-10", "e-420", ".e-10", "-e-10", "Pi", "Ei", ".Ei", "-Ei"}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
  }
}

TEST(Quantity, TheRefusalShowsTheText) {
  const auto refusal = [](const std::string& text) { return Quantity::parse(text).error().message; };
  EXPECT_EQ(refusal("4 cores"), R"("4 cores" is not a quantity, such as "4", "500m" or "2Gi")");
  EXPECT_EQ(refusal(""), R"("" is not a quantity, such as "4", "500m" or "2Gi")");
  const std::string x(39, 'x');
  EXPECT_TRUE(refusal(x + "yy").starts_with('"' + x + "y…\"")) << refusal(x + "yy");
  EXPECT_TRUE(refusal(x + "ä").starts_with('"' + x + "…\"")) << "whole characters: " << refusal(x + "ä");
}

TEST(Quantity, ComparesByValue) {
  EXPECT_EQ(*Quantity::parse("0.5"), *Quantity::parse("500m"));
  EXPECT_EQ(*Quantity::parse("1Ki"), Quantity::from_units(1024));
  EXPECT_LT(*Quantity::parse("999m"), Quantity::from_units(1));
  EXPECT_LT(*Quantity::parse("-1"), Quantity());
  EXPECT_EQ(Quantity::from_milli(1500), *Quantity::parse("1.5"));
}

TEST(Quantity, RoundsUpToThousandths) {
  EXPECT_EQ(Quantity::parse("100500u")->rounded_up_to_milli().text(), "101m");
  EXPECT_EQ(Quantity::parse("-100500u")->rounded_up_to_milli().text(), "-101m");
  EXPECT_EQ(Quantity::parse("101m")->rounded_up_to_milli().text(), "101m");
  EXPECT_EQ(Quantity::parse("1e30")->rounded_up_to_milli(), *Quantity::parse("1e30"));
}

TEST(Quantity, SumsSaturate) {
  const auto huge = *Quantity::parse("1e30");
  EXPECT_EQ((huge + huge).value(), kMax);
  EXPECT_EQ((huge - *Quantity::parse("-1e30")).value(), kMax);
  EXPECT_EQ((*Quantity::parse("-1e30") - huge).value(), kMin);
  EXPECT_EQ((Quantity::from_units(2) - Quantity::from_milli(500)).text(), "1500m");
}

}  // namespace
}  // namespace podium::api
