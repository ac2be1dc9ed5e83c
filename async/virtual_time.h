// VirtualTime: a clock that moves only on request. Every Timer of its thread follows it.
//
// A simulation runs what is ready, then advances to the next expiry, and so on. Nothing sleeps, and nothing
// reads the kernel's clock. Timers that were created before the VirtualTime do not follow it.
// Owner: a test or a simulation. Threads: one, which also runs the io_contexts of the Timers. Errors: none.
#pragma once

#include <chrono>
#include <memory>

#include "async/virtual_waits.h"
#include "base/clock.h"

namespace podium::async {

class VirtualTime final : public Clock {
 public:
  // `now` is the first time. A fixed value makes runs equal in all processes.
  explicit VirtualTime(Wall start = Wall(std::chrono::seconds(1'700'000'000)),
                       Steady now = std::chrono::steady_clock::now());
  ~VirtualTime() override;
  VirtualTime(const VirtualTime&) = delete;

  Steady now() const override { return waits_->now(); }
  Wall wall() const override;
  std::chrono::nanoseconds cpu_time() const override { return {}; }

  // The next expiry of a timer; Steady::max() if there is none.
  Steady next() const { return waits_->next(); }
  // Moves to the next expiry, at most by `most`, and posts the handlers that are due. False: no timer expires
  // within `most`, and the time has moved by `most`.
  bool advance(Steady::duration most);

 private:
  friend struct TimerClock;
  const std::shared_ptr<VirtualWaits> waits_;
  const Steady began_;
  const Wall start_;
};

}  // namespace podium::async
