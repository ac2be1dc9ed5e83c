// The bounds and back-offs of a FairQueue, and what may become of an item.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace podium {

// What became of an item that was taken.
enum class Outcome {
  done,
  failed,           // given up
  retry,            // the item waits for its back-off
  retry_namespace,  // everything of its namespace waits
  retry_all,        // everything waits
};

// Doubles from `first` to `longest`; up to a half of each wait is taken off at random.
struct Backoff {
  std::chrono::milliseconds first{500}, longest{60'000};

  Steady::duration after(unsigned failures, Random& random) const {
    const auto full = std::min(first * (std::int64_t{1} << std::min(failures - 1, 20u)), longest);
    return std::chrono::duration_cast<Steady::duration>(full * (1 - random.unit() / 2));
  }
};

struct FairQueueOptions {
  std::size_t capacity = 20'000;
  std::size_t per_namespace = 0;  // 0: no bound of its own
  bool refuse_when_full = false;  // else room is made
  Backoff item, of_namespace{std::chrono::seconds(1)}, all{std::chrono::seconds(1)};
  // What has been tried so often, or fails so long after it was pushed, is dropped. 0: never.
  unsigned most_tries = 0;
  std::chrono::milliseconds most_age{0};
  unsigned lane_1_every = 8;  // turns, while lane 0 has items
};

}  // namespace podium
