// Patience: how long searches for devices may keep other pods waiting.
//
// A tenant can create claims whose devices take long to search, and can create many. One long search is
// allowed, as upstream. After it, searches end early until three times its duration has passed: long searches
// of all tenants together take at most a quarter of the scheduling strand.
//
// Owner: Scheduler. Threads: the scheduling strand. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace podium::cycle {

class Patience {
 public:
  static constexpr std::chrono::milliseconds kLong{50};
  static constexpr int kRest = 3;

  bool is_over(Steady now) const { return now < rest_until_; }
  // Records an attempt that searched for devices.
  void spend(Steady began, Steady ended) {
    if (ended - began >= kLong) rest_until_ = std::max(rest_until_, ended) + kRest * (ended - began);
  }

 private:
  Steady rest_until_ = Steady::min();
};

}  // namespace podium::cycle
