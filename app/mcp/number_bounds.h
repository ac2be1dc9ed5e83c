// Bounds and descriptions of what both a command's flags and a tool's arguments have.
//
// Threads: constants. Errors: none.
#pragma once

#include <cstdint>

namespace podium::mcp {

inline constexpr std::int64_t kMostAtATime = 64;  // drain --rolling
inline constexpr std::int64_t kMostSpare = 16;    // drain --spare

// The descriptions of arguments that both have.
inline constexpr auto kNodesToDrain = "the nodes to drain, all at the same time";
inline constexpr auto kRolling =
    "drains this number of nodes at a time, as an upgrade does; they return before the next ones are drained";

}  // namespace podium::mcp
