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

// Returns the bytes of the first character if it moves a cursor, or hides or reorders the text around it: C0,
// DEL, C1, and Unicode's separators of lines, marks of direction and characters without a width. 0: any
// other one.
constexpr std::size_t control_length(std::string_view text) {
  const auto at = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : '\0';
  };
  const auto first = at(0), second = at(1), third = at(2);
  if (text.empty()) return 0;
  if (first < 0x20 || first == 0x7F) return 1;
  // Some terminals accept U+009B as the start of a sequence, like ESC [.
  if (first == 0xC2 && second >= 0x80 && second <= 0x9F) return 2;
  if (first == 0xD8 && second == 0x9C) return 2;  // U+061C
  const bool is_of_direction =                    // U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F
      first == 0xE2 &&
      ((second == 0x80 && ((third >= 0x8B && third <= 0x8F) || (third >= 0xA8 && third <= 0xAE))) ||
       (second == 0x81 && third >= 0xA0 && third <= 0xAF));
  const bool is_byte_order = first == 0xEF && second == 0xBB && third == 0xBF;  // U+FEFF
  return is_of_direction || is_byte_order ? 3 : 0;
}

}  // namespace podium
