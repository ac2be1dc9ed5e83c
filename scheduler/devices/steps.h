// Steps: what a search may still cost. It stands for a time limit, since the core has no clock.
//
// Every device that is looked at costs a step, and an expression that is evaluated as many as it takes: about
// 10 to 100 ns each. Threads: used by one search at a time. Errors: spend() tells when nothing is left.
#pragma once

#include <cstdint>
#include <limits>

namespace podium::devices {

struct Steps {
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  bool spend(std::int64_t steps = 1) { return (left -= steps) >= 0; }
};

}  // namespace podium::devices
