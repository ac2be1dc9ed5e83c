// Handoff<T>: one value that another thread passes to a waiting coroutine, with a deadline.
//
// Threads: put() and end() from any thread; wait() once, by one coroutine. A value that is never fetched is
// destroyed with the Handoff. Errors: Kind::timeout, Kind::cancelled from wait().
#pragma once

#include <boost/asio/experimental/as_tuple.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <optional>
#include <utility>

#include "base/check.h"
#include "client/http/transport.h"
#include "client/http/watchdog.h"

namespace podium::client {

template <typename T>
class Handoff final : public Guarded {
 public:
  Handoff(boost::asio::any_io_executor executor, std::shared_ptr<Watchdog> watchdog, Steady deadline)
      : watchdog_(std::move(watchdog)), signal_(std::move(executor), 1) {
    watchdog_->add(*this);
    watchdog_->set_deadline(*this, deadline);
  }
  ~Handoff() override { watchdog_->remove(*this); }

  // True: moved from `value`. False: the wait is over, `value` is unchanged.
  bool put(T& value) {
    std::lock_guard lock(mutex_);
    if (over_ || value_) return false;
    value_.emplace(std::move(value));
    signal_.try_send(boost::system::error_code());
    return true;
  }

  void end(Error::Kind why) override {
    std::lock_guard lock(mutex_);
    if (over_ || value_) return;
    over_ = why;
    signal_.try_send(boost::system::error_code());
  }

  // Call once. The Handoff has to outlive the call.
  Task<Result<T>> wait(std::string doing) {
    PODIUM_CHECK(!std::exchange(waited_, true), doing);
    co_await signal_.async_receive(boost::asio::experimental::as_tuple(boost::asio::use_awaitable));
    std::lock_guard lock(mutex_);
    if (!over_) over_ = Error::Kind::cancelled;  // no put() from here on
    if (value_) co_return Result<T>(std::move(*value_));
    co_return fail(*over_, doing + (*over_ == Error::Kind::timeout ? ": deadline passed" : ": stopped"));
  }

 private:
  const std::shared_ptr<Watchdog> watchdog_;
  boost::asio::experimental::concurrent_channel<void(boost::system::error_code)> signal_;
  std::mutex mutex_;
  std::optional<T> value_;
  std::optional<Error::Kind> over_;
  bool waited_ = false;
};

}  // namespace podium::client
