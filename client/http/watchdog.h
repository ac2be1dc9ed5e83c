// Watchdog: one timer that ends every registered operation whose deadline has passed.
//
// Setting a deadline is one atomic store, so the many short steps of a request need no timer each. An ended
// Guarded gets the reason (timeout, or cancelled after close()) and fails its pending operation.
// Owner: shared by a transport's parts. Threads: every member from any thread. A Guarded is removed before
// it is destroyed. end() is called under the watchdog's lock: it has to be quick and must not call back.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "base/instant.h"
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

  void add(Guarded& guarded);  // ended immediately if close() was called before
  void remove(Guarded& guarded);
  void set_deadline(Guarded& guarded, Steady deadline);
  void clear_deadline(Guarded& guarded);  // once it returns, no earlier deadline takes effect
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
