// Numbers of things in words.
//
// Threads: pure function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace podium {

// "1 node", "2 nodes"; `plural` if it is not the noun with an s.
std::string counted(std::size_t n, std::string_view noun, std::string_view plural = {});

}  // namespace podium
