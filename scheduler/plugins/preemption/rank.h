// Rank: how candidates for preemption compare; the lower is better.
//
// Source: pkg/scheduler/framework/preemption pickOneNodeForPreemption. Threads: a value.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

#include "base/instant.h"

namespace podium::plugins {

struct Rank {
  std::int64_t budget_violations = 0;
  // As upstream: compares the priority of the first victim, and the start time of those with the highest
  // priority. These may differ, since an extender may return victims in any order.
  std::int32_t first = 0;
  std::int64_t sum = 0;  // of the priorities, each by weight()
  std::size_t victims = 0;
  std::int64_t minus_earliest = 0;  // the later, the better

  std::strong_ordering operator<=>(const Rank&) const = default;

  // Shifted to be non-negative, so that more pods of negative priority never rank better than fewer.
  static std::int64_t weight(std::int32_t priority) {
    return std::int64_t{priority} - std::numeric_limits<std::int32_t>::min();
  }
  static std::int64_t minus(Wall earliest) { return -earliest.time_since_epoch().count(); }
};

}  // namespace podium::plugins
