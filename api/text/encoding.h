// Encodings of text files. kubectl and podium read UTF-8, and UTF-16 that starts with a byte order mark,
// which PowerShell's ">" writes.
//
// Threads: pure functions. Errors: none; what is not valid stays invalid UTF-8, and the parser refuses it
// with its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace podium::api {

// The text as UTF-8 without its byte order mark; nullopt: it has none, and is UTF-8 already.
std::optional<std::string> without_byte_order_mark(std::string_view text);

}  // namespace podium::api
