// FairQueueOptions: bounds and backoffs of a FairQueue. Outcome: the result of an item.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/backoff.h"

namespace podium::async {

// Result of an item that was taken.
enum class Outcome {
  done,
  failed,           // not retried
  dropped,          // will not be tried; says nothing about others
  retry,            // the item backs off
  retry_namespace,  // its whole namespace backs off
  retry_all,        // the whole queue backs off
};
constexpr bool is_retried(Outcome outcome) {
  using enum Outcome;
  return outcome == retry || outcome == retry_namespace || outcome == retry_all;
}

// How long a stop writes what waits in a queue. After `minor` only the items that no later process writes are
// left, and after `all` none.
struct DrainLimits {
  template <typename Rep, typename Period>
  DrainLimits(std::chrono::duration<Rep, Period> all) : DrainLimits(all, all) {}
  DrainLimits(std::chrono::milliseconds all, std::chrono::milliseconds minor)
      : all(all), minor(std::min(minor, all)) {}

  std::chrono::milliseconds all, minor;
};

struct FairQueueOptions {
  std::size_t capacity = 20'000;
  std::size_t per_namespace = 0;       // 0: not bounded per namespace
  std::size_t busy_per_namespace = 0;  // in progress at one time; 0: not bounded
  bool refuse_when_full = false;       // false: evict another item
  Backoff item, of_namespace{std::chrono::seconds(1)}, all{std::chrono::seconds(1)};
  // Drops an item after this many failures, or this long after it was pushed. 0: never.
  unsigned most_tries = 0;
  std::chrono::milliseconds most_age{0};
  // While a lane has items, the lanes below it together get one turn in this many.
  unsigned lower_lanes_every = 8;
};

}  // namespace podium::async
