// Backoff: the pause before a retry, which doubles with each failure.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>

namespace podium {

// Doubles from `first` to `longest`. `failures`: in a row, at least one.
struct Backoff {
  std::chrono::milliseconds first{500}, longest{60'000};

  constexpr std::chrono::milliseconds after(unsigned failures) const {
    auto full = std::min(first, longest);
    // 63 doublings reach any bound.
    for (unsigned i = 1; i < std::min(failures, 64u) && full < longest; ++i)
      full = std::min(2 * full, longest);
    return full;
  }
  // Subtracts up to a half of the delay. `jitter`: Random::unit().
  std::chrono::nanoseconds after(unsigned failures, double jitter) const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(after(failures) * (1 - jitter / 2));
  }
};

}  // namespace podium
