// PODIUM_CHECK: what it prints, and that it costs nothing of its values if it holds.
#include "base/check.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

TEST(CheckDeathTest, PrintsThePlaceTheConditionAndTheValues) {
  const int size = 3, index = 7;
  EXPECT_DEATH(PODIUM_CHECK(index < size, index, size),
               "podium: check failed at .*check_test.cc:[0-9]+: index < size \\(index, size = 7, 3\\)");
  EXPECT_DEATH(PODIUM_CHECK(size == 0), "check failed at .*: size == 0\n");
}

TEST(Check, ItsValuesAreNotComputedIfItHolds) {
  int computed = 0;
  PODIUM_CHECK(true, ++computed);
  EXPECT_EQ(computed, 0);
}

}  // namespace
}  // namespace podium
