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
  const std::size_t one = 1, two = 2, three = 3, four = 4, none = 0;
  for (const char* text : {"\x1b[2J", "\n", "\x7f"}) EXPECT_EQ(control_length(text), one) << text;
  EXPECT_EQ(control_length(std::string_view("\0a", 2)), one);
  for (const char* text : {"\u0080", "\u009b", "\u009f", "\u00ad", "\u034f", "\u061c"})
    EXPECT_EQ(control_length(text), two) << text;
  for (const char* text : {"\u115f", "\u1160", "\u17b4", "\u180b", "\u180e", "\u200b", "\u200d", "\u200e",
                           "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2060", "\u2066", "\u2069",
                           "\u206f", "\u3164", "\ufe00", "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\ufffb"})
    EXPECT_EQ(control_length(text), three) << text;
  for (const char* text :
       {"\U0001bca0", "\U0001d173", "\U000e0001", "\U000e0041", "\U000e007f", "\U000e0100", "\U000e01ef"})
    EXPECT_EQ(control_length(text), four) << text;
  for (const char* text :
       {"", "a", "\u00a0", "ä", "\u061b", "\u200a", "\u2010", "…", "€", "\u2070", "\ufdff", "\ufefe",
        "\ufffd", "\xe2", "\xe2\x80", "\xc2", "\U0001F600", "\U000dffff", "\U000e1000"})
    EXPECT_EQ(control_length(text), none) << text;
}

TEST(Utf8, TakesValidCharactersOnly) {
  const std::size_t one = 1, two = 2, three = 3, four = 4, none = 0;
  EXPECT_EQ(character_length("ab"), one);
  EXPECT_EQ(character_length("ä"), two);
  EXPECT_EQ(character_length("€"), three);
  EXPECT_EQ(character_length("\U0010ffff"), four);
  EXPECT_EQ(code_point("\U0010ffff"), char32_t{0x10FFFF});
  for (const char* text : {"", "\x80", "\x9b", "\xc0\xaf", "\xc3", "\xc3(", "\xe0\x9f\xbf", "\xed\xa0\x80",
                           "\xe2\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"})
    EXPECT_EQ(character_length(text), none) << text;
}

}  // namespace
}  // namespace podium
