#include "base/ascii.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

TEST(Ascii, LowersOnlyAsciiLetters) { EXPECT_EQ(to_lower("AzZ[@ É"), "azz[@ É"); }

TEST(Ascii, EqualFoldIgnoresCase) {
  EXPECT_TRUE(equal_fold("Deployment", "deployMENT"));
  EXPECT_TRUE(equal_fold("", ""));
  EXPECT_FALSE(equal_fold("pod", "pods"));
  EXPECT_FALSE(equal_fold("[", "{"));
}

TEST(Ascii, TrimmedHasNoBlanksAtItsEnds) {
  EXPECT_EQ(trimmed("\r\n a b\t"), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed("--a-", "-"), "a");
}

TEST(Ascii, SplitHasThePartsBetweenTheSeparators) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,,b", ","), (Parts{"a", "", "b"}));
  EXPECT_EQ(split("a__b_c__", "__"), (Parts{"a", "b_c", ""}));
  EXPECT_EQ(split("", ","), Parts{""});
  EXPECT_EQ(split_without_empty(",a,,b,", ","), (Parts{"a", "b"}));
  EXPECT_EQ(split_without_empty("", ","), Parts());
}

}  // namespace
}  // namespace podium
