// Helpers for ASCII text. Other bytes are left as they are.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace podium {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }
// The value of a hexadecimal digit in either case; -1: it is not one.
constexpr int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string to_lower(std::string text);
// True if the texts are equal when case is ignored.
bool equal_fold(std::string_view a, std::string_view b);
// The text without the blanks at its ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");
// The parts between the separators, which point into the text. "" has one, which is empty.
std::vector<std::string_view> split(std::string_view text, std::string_view separator);
std::vector<std::string_view> split_without_empty(std::string_view text, std::string_view separator);

}  // namespace podium
