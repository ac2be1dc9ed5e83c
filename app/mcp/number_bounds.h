// Bounds of numbers that both a command's flags and a tool's arguments have.
//
// Threads: constants. Errors: none.
#pragma once

#include <cstdint>

namespace podium::mcp {

inline constexpr std::int64_t kMostAtATime = 64;  // drain --rolling
inline constexpr std::int64_t kMostSpare = 16;    // drain --spare

}  // namespace podium::mcp
