// Patience: how long searches for devices may keep other pods waiting.
//
// Whoever may create a claim decides how long the search for its devices takes, and may create many. One long
// search is everybody's right, as upstream. After it, searches end early until three times as long has passed
// for others: so that long searches get a quarter of the scheduling strand at most, whoever asks for them.
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
  // An attempt with a search for devices.
  void spend(Steady began, Steady ended) {
    if (ended - began >= kLong) rest_until_ = std::max(rest_until_, ended) + kRest * (ended - began);
  }

 private:
  Steady rest_until_ = Steady::min();
};

}  // namespace podium::cycle
