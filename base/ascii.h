// Helpers for ASCII text. Other bytes are left as they are.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace podium {

std::string to_lower(std::string text);
// True if the texts are equal when case is ignored.
bool equal_fold(std::string_view a, std::string_view b);
// The text without the blanks at its ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

}  // namespace podium
