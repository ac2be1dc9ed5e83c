// StepBudget: the remaining budget of a search. It replaces a time limit, since the core has no clock.
//
// A visited device costs one step; an evaluated expression costs the steps that it runs. A step takes about
// 10 to 100 ns. Threads: used by one search at a time. Errors: spend() returns false when nothing is left.
#pragma once

#include <cstdint>
#include <limits>

namespace podium::devices {

struct StepBudget {
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  std::int64_t once = 0;  // spent on results that are kept: a search with the same answer does not spend them
  bool spend(std::int64_t steps = 1) { return (left -= steps) >= 0; }
};

}  // namespace podium::devices
