// Precedence: lets bindings go before events and less urgent reports.
//
// The binder brackets each request with enter() and leave(). Writers of events and reports await turn()
// before they write: it waits while a binding is in flight, but no longer than kPatience after the item
// was queued, so under constant load these writes lag by at most that.
// Owner: the engine. Threads: all functions from any thread. Errors: none.
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
  void leave();  // once for each enter()

  // Returns when no binding is in flight, or kPatience after `since`.
  async::Task<void> turn(Steady since) const;

 private:
  using TimerPtr = std::shared_ptr<async::Timer>;
  struct Waiting;

  Clock& clock_;
  mutable std::mutex mutex_;  // guards these
  int in_flight_ = 0;
  mutable std::list<TimerPtr> waiting_;  // each is used on its own executor only
};

}  // namespace podium::client
