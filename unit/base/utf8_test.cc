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

TEST(Utf8, FindsWhatHidesOrReordersText) {
  const std::size_t one = 1, two = 2, three = 3, none = 0;
  for (const char* text : {"\x1b[2J", "\n", "\x7f"}) EXPECT_EQ(control_length(text), one) << text;
  EXPECT_EQ(control_length(std::string_view("\0a", 2)), one);
  for (const char* text : {"\u0080", "\u009b", "\u009f", "\u061c"})
    EXPECT_EQ(control_length(text), two) << text;
  for (const char* text : {"\u200b", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e",
                           "\u2060", "\u2066", "\u2069", "\u206f", "\ufeff"})
    EXPECT_EQ(control_length(text), three) << text;
  for (const char* text : {"", "a", "\u00a0", "ä", "\u061b", "\u200a", "\u2010", "…", "€", "\u2070", "\ufefe",
                           "\xe2", "\xe2\x80", "\xc2", "\U0001F600"})
    EXPECT_EQ(control_length(text), none) << text;
}

}  // namespace
}  // namespace podium
