// Text as Go writes it: numbers, quoted strings, and code points of UTF-8.
//
// Role: the texts of errors and conversions to text. Threads: pure functions. Errors: none; invalid UTF-8
// counts a byte as a code point.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace podium::cel {

std::string go_number(double value);           // %g
std::string go_decimal(double value);          // strconv.FormatFloat(value, 'f', -1, 64)
std::string go_quoted(std::string_view text);  // %q

bool is_valid_utf8(std::string_view text);
std::size_t code_points(std::string_view text);
// The position of each code point, and of the end.
std::vector<std::size_t> code_point_offsets(std::string_view text);
void append_utf8(std::string& text, char32_t code_point);

}  // namespace podium::cel
