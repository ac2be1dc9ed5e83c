// A clock that stands still until a test moves it on.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace podium::cycle {

class VirtualClock final : public Clock {
 public:
  Steady now() const override { return Steady(now_); }
  Wall wall() const override { return Wall(now_); }
  void advance(std::chrono::nanoseconds by) { now_ += by; }

 private:
  std::chrono::nanoseconds now_ = std::chrono::seconds(100);
};

}  // namespace podium::cycle
