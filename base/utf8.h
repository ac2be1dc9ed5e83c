// Cuts UTF-8 text between characters, and finds those that a terminal or a reader must not obey.
// Threads: pure. Errors: none.
#pragma once

#include <cstddef>
#include <string_view>

namespace podium {

// Returns the first `bytes` bytes of the text, less those of a character that does not end within them.
constexpr std::string_view whole_characters(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// Returns the bytes of the first character. 0: the text is empty, or does not begin with valid UTF-8: a
// surrogate, an overlong form, what is above U+10FFFF.
constexpr std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool is_wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return is_wrong ? 0 : length;
}

// Returns the code point of one valid character.
constexpr char32_t code_point(std::string_view character) {
  constexpr unsigned kLead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};  // by length: the bits of the first byte
  char32_t out = static_cast<unsigned char>(character.front()) & kLead[character.size()];
  for (const char c : character.substr(1)) out = out << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return out;
}

// True for a character that moves a cursor, that has no glyph, or that hides or reorders the text around it:
// C0, DEL, C1, the separators of lines, the marks of direction, and what Unicode lets a reader ignore
// (Default_Ignorable_Code_Point) or uses as an annotation. The tags from U+E0000 on and the selectors of
// variations can hide a whole text.
constexpr bool is_control(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kRanges[] = {{0, 0x1F},          {0x7F, 0x9F},       {0xAD, 0xAD},      {0x34F, 0x34F},
                               {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},  {0x180B, 0x180F},
                               {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},  {0x3164, 0x3164},
                               {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},  {0xFFF0, 0xFFFB},
                               {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
  for (const auto& range : kRanges) {
    if (code <= range.last) return code >= range.first;
  }
  return false;
}

// Returns the bytes of the first character if it is a control (is_control()). 0: any other one. Some
// terminals accept U+009B as the start of a sequence, like ESC [.
constexpr std::size_t control_length(std::string_view text) {
  const auto length = character_length(text);
  return length > 0 && is_control(code_point(text.substr(0, length))) ? length : 0;
}

}  // namespace podium
