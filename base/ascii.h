// Helpers for ASCII text. Other bytes are left as they are.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace podium {

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
