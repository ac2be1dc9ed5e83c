// ManualClock: a clock that moves only when a test moves it.
//
// Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.h"

namespace podium::unit {

class ManualClock final : public Clock {
 public:
  Steady now() const override { return Steady(std::chrono::nanoseconds(elapsed_.load())); }
  Wall wall() const override {
    return Wall(std::chrono::duration_cast<Wall::duration>(std::chrono::nanoseconds(elapsed_.load()))) +
           std::chrono::hours(24 * 365 * 50) + std::chrono::seconds(wall_step_.load());
  }
  void advance(std::chrono::nanoseconds by) { elapsed_ += by.count(); }
  // Steps the wall clock, as an administrator or NTP does.
  void step_wall(std::chrono::seconds by) { wall_step_ += by.count(); }

 private:
  std::atomic<std::int64_t> elapsed_{3'600'000'000'000}, wall_step_{0};
};

}  // namespace podium::unit
