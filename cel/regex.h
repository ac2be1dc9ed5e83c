// Regular expressions: RE2, with the error texts of Go's regexp.
//
// Role: small constant patterns are compiled with their expression. A pattern may become a program of
// megabytes ("\\pL{100}"), so large ones, and those that are not constant, are compiled when they are used,
// at a cost (cost_budget.h). The most recently used large ones are kept, shared by all expressions.
// Threads: any; a compiled pattern may be shared. Errors: the text of the error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace podium::cel {

struct ConstantPattern {
  std::shared_ptr<const re2::RE2> compiled;  // null: too large
  std::int64_t cost = 0;                     // of compiling it, in units (cost_budget.h)
};
std::expected<ConstantPattern, std::string> constant_pattern(std::string_view pattern);

// The estimated bytes that a ConstantPattern keeps.
inline constexpr std::size_t kPatternBytes = std::size_t{64} << 10;

}  // namespace podium::cel
