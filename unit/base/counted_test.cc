// Numbers of things in words.
#include "base/counted.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

TEST(Counted, OneHasNoPlural) {
  EXPECT_EQ(counted(0, "pod"), "0 pods");
  EXPECT_EQ(counted(1, "pod"), "1 pod");
  EXPECT_EQ(counted(2, "placed pod"), "2 placed pods");
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

}  // namespace
}  // namespace podium
