// Precedence: writes that nobody waits for give way to those that somebody does.
//
// Bindings enter and leave; the writers of events, conditions and reports take turn() before they write.
// While a binding is under way a writer waits, unless what it has to write is older than the patience: then
// it goes on, so that under a load that never ends everything else lags by that much and no more.
// Threads: all functions from any thread. Errors: none.
#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.h"
#include "client/transport.h"

namespace podium::client {

class Precedence {
 public:
  static constexpr std::chrono::seconds kPatience{10};

  explicit Precedence(Clock& clock) : clock_(clock) {}

  void enter() { under_way_.fetch_add(1, std::memory_order_relaxed); }
  void leave() { under_way_.fetch_sub(1, std::memory_order_relaxed); }

  // Returns when nothing that comes first is under way, or when `since` is longer ago than the patience.
  Task<void> turn(Steady since) const;

 private:
  Clock& clock_;
  std::atomic<int> under_way_{0};
};

}  // namespace podium::client
