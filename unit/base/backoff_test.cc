#include "base/backoff.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, DoublesUpToTheLongest) {
  const struct {
    unsigned failures;
    std::chrono::milliseconds want;
  } cases[] = {{1, 100ms}, {2, 200ms}, {4, 800ms}, {5, 1s}, {6, 1s}, {4'000'000'000, 1s}};
  for (const auto& c : cases) EXPECT_EQ((Backoff{100ms, 1s}.after(c.failures)), c.want) << c.failures;
  EXPECT_EQ((Backoff{2s, 1s}.after(1)), 1s);
  EXPECT_EQ((Backoff{0ms, 1s}.after(4'000'000'000)), 0s);
  const std::chrono::milliseconds years = std::chrono::years(200);
  EXPECT_EQ((Backoff{1ms, years}.after(100)), years);
}

TEST(Backoff, JitterTakesOffUpToAHalf) {
  const Backoff backoff{100ms, 1s};
  EXPECT_EQ(backoff.after(1, 0.0), 100ms);
  EXPECT_EQ(backoff.after(1, 0.5), 75ms);
  EXPECT_EQ(backoff.after(9, 1.0), 500ms);
}

}  // namespace
}  // namespace podium
