// Watchdog: one timer that ends whatever has passed its deadline, and the register of what can be ended.
//
// A deadline is one atomic store, so that the many short steps of a request cost no timers. What is ended
// learns why (timeout, or cancelled once close() was called) and fails its own pending operation.
// Threads: every member may be called from any thread. A Guarded must be removed before it dies; end() is
// called under the watchdog's lock, must be quick and must not call back.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "base/clock.h"
#include "base/result.h"

namespace podium::client {

class Guarded {
 public:
  virtual ~Guarded() = default;
  virtual void end(Error::Kind why) = 0;

 private:
  friend class Watchdog;
  std::atomic<Steady> deadline_{Steady::max()};
};

class Watchdog : public std::enable_shared_from_this<Watchdog> {
 public:
  explicit Watchdog(boost::asio::any_io_executor executor);
  ~Watchdog();

  void add(Guarded& guarded);  // ended at once where close() was called before
  void remove(Guarded& guarded);
  void set_deadline(Guarded& guarded, Steady deadline);
  void clear_deadline(Guarded& guarded);  // after it returns, no earlier deadline ends it any more
  void close();                           // ends everything with Kind::cancelled

 private:
  struct Timer;
  void tick();

  std::unique_ptr<Timer> timer_;
  std::mutex mutex_;
  std::unordered_set<Guarded*> guarded_;
  std::atomic<Steady> armed_{Steady::max()};  // when the timer fires next
  std::atomic<bool> closed_{false};
};

}  // namespace podium::client
