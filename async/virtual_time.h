// VirtualTime: a clock that moves when it is told to, and that every Timer of its thread follows.
//
// A simulation runs what is ready, then advances to the next expiry, and so on; nothing sleeps. Timers that
// were started before it was made are not followed.
// Owner: a test or a simulation. Threads: one, which also runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <set>

#include "base/clock.h"

namespace podium::async {

class VirtualTime final : public Clock {
 public:
  explicit VirtualTime(Wall start = Wall(std::chrono::seconds(1'700'000'000)));
  ~VirtualTime() override;
  VirtualTime(const VirtualTime&) = delete;

  Steady now() const override { return now_; }
  Wall wall() const override;
  // A step of the wall clock, as an administrator or NTP makes it. Timers do not see it.
  void step_wall(std::chrono::seconds by) { wall_step_ += by; }

  // Moves to the next expiry, at most by `most`, and makes the context's timers look at the time. False: no
  // timer expires within `most`; the time has moved by `most`.
  bool advance(boost::asio::io_context& context, Steady::duration most);

 private:
  friend struct TimerClock;
  const Steady began_;
  const Wall start_;
  Steady now_;
  std::chrono::seconds wall_step_{0};
  std::multiset<Steady> expected_;  // of timers that may have been cancelled since
};

}  // namespace podium::async
