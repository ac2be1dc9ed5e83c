#include "base/utf8.h"

#include <gtest/gtest.h>

namespace podium {
namespace {

TEST(Utf8, IsCutBetweenCharacters) {
  EXPECT_EQ(whole_characters("abc", 3), "abc");
  EXPECT_EQ(whole_characters("abc", 9), "abc");
  EXPECT_EQ(whole_characters("abc", 2), "ab");
  EXPECT_EQ(whole_characters("a€b", 4), "a€");
  EXPECT_EQ(whole_characters("a€b", 3), "a");
  EXPECT_EQ(whole_characters("a€b", 1), "a");
  EXPECT_EQ(whole_characters("€", 1), "");
  EXPECT_EQ(whole_characters("\x80\x80\x80", 2), "") << "not UTF-8";
  EXPECT_EQ(whole_characters("", 0), "");
}

}  // namespace
}  // namespace podium
