// Regular expressions: RE2, with the words of Go's regexp for what is wrong with a pattern.
//
// Role: compiled once for constant patterns, at each call for others.
// Threads: a compiled pattern may be shared. Errors: the text of the error.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace podium::cel {

std::expected<std::shared_ptr<const re2::RE2>, std::string> compile_pattern(std::string_view pattern);

}  // namespace podium::cel
