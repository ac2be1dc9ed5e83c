// Points in time: of the steady clock, for waiting and measuring, and of the wall clock, for timestamps.
#pragma once

#include <chrono>

namespace podium {

using Steady = std::chrono::steady_clock::time_point;
using Wall = std::chrono::system_clock::time_point;

}  // namespace podium
