#include "log/limit.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

using namespace std::chrono_literals;

TEST(LogLimit, OnceAMinuteForEachCause) {
  LogLimit limit;
  const Steady start{1h};
  EXPECT_TRUE(limit.allows("forbidden", start));
  EXPECT_FALSE(limit.allows("forbidden", start + 59s));
  EXPECT_TRUE(limit.allows("invalid", start + 59s)) << "another cause";
  EXPECT_TRUE(limit.allows("forbidden", start + 60s));
  EXPECT_FALSE(limit.allows("invalid", start + 60s));
}

TEST(LogLimit, KeepsFewCauses) {
  LogLimit limit;
  const Steady start{1h};
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(limit.allows(std::to_string(i), start));
  EXPECT_FALSE(limit.allows("9999", start));
}

}  // namespace
}  // namespace podium
