// Precedence: writes that nobody waits for give way to those that somebody does.
//
// Bindings enter and leave; the writers of events and reports take turn() before they write. While a binding
// is under way a writer waits, unless what it has to write is older than the patience: then it goes on, so
// that under a load that never ends everything else lags by that much and no more.
// Threads: all functions from any thread. Errors: none.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>

#include "async/task.h"
#include "async/timer.h"
#include "base/clock.h"

namespace podium::client {

class Precedence {
 public:
  static constexpr std::chrono::seconds kPatience{10};

  explicit Precedence(Clock& clock) : clock_(clock) {}

  void enter();
  void leave();

  // Returns when nothing that comes first is under way, or when `since` is longer ago than the patience.
  async::Task<void> turn(Steady since) const;

 private:
  using TimerPtr = std::shared_ptr<async::Timer>;
  struct Waiting;

  Clock& clock_;
  mutable std::mutex mutex_;  // guards these
  int under_way_ = 0;
  mutable std::list<TimerPtr> waiting_;  // each used on its own executor only
};

}  // namespace podium::client
