// Appends strings to JSON text.
//
// Threads: a pure function. Errors: none; bytes that are not UTF-8 stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace podium::api {

// Appends the text with quotes and escapes.
void append_json(std::string& out, std::string_view text);

}  // namespace podium::api
