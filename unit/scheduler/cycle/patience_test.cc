// Patience: long searches for devices get a part of the scheduling strand.
#include "scheduler/cycle/patience.h"

#include <gtest/gtest.h>

namespace podium::cycle::patience_test {
namespace {

using namespace std::chrono_literals;

TEST(Patience, AfterALongSearchOthersComeFirstForThreeTimesAsLong) {
  Patience patience;
  const Steady start(100s);
  EXPECT_FALSE(patience.is_over(start));
  patience.spend(start, start + 49ms);
  EXPECT_FALSE(patience.is_over(start + 49ms)) << "not long";
  patience.spend(start, start + 1s);
  EXPECT_TRUE(patience.is_over(start + 1s));
  EXPECT_TRUE(patience.is_over(start + 4s - 1ms));
  EXPECT_FALSE(patience.is_over(start + 4s));
}

TEST(Patience, SearchesThatAreLongAllTheSameAddUp) {
  Patience patience;
  const Steady start(100s);
  patience.spend(start, start + 1s);
  patience.spend(start + 1s, start + 1s + 100ms);
  EXPECT_TRUE(patience.is_over(start + 4s + 299ms));
  EXPECT_FALSE(patience.is_over(start + 4s + 300ms));
}

}  // namespace
}  // namespace podium::cycle::patience_test
