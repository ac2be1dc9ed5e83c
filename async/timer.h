// Timer: the only timer of coroutines. Each of their waits uses it, or nap(), which is built on it.
//
// It follows the steady clock. A Timer that is created while a VirtualTime exists on the thread
// (async/virtual_time.h) follows that instead, so that a simulation covers hours in milliseconds.
// Threads: its executor only, as an Asio timer.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <utility>
#include <variant>

#include "async/virtual_waits.h"
#include "base/clock.h"

namespace podium::async {

// The current time of the clock that a new Timer would follow.
struct TimerClock {
  static Steady now() noexcept;
  static std::shared_ptr<VirtualWaits> waits();  // null: the steady clock
};

class Timer {
 public:
  // Does not expire until an expiry is set.
  explicit Timer(const boost::asio::any_io_executor& executor) : Timer(executor, Steady::max()) {}
  Timer(const boost::asio::any_io_executor& executor, Steady expiry) : Timer(executor, TimerClock::waits()) {
    expires_at(expiry);
  }
  Timer(const boost::asio::any_io_executor& executor, Steady::duration wait)
      : Timer(executor, TimerClock::waits()) {
    expires_after(wait);
  }
  Timer(const Timer&) = delete;

  boost::asio::any_io_executor get_executor() {
    return std::visit([](auto& timer) { return boost::asio::any_io_executor(timer.get_executor()); }, timer_);
  }
  Steady expiry() const {
    return std::visit([](const auto& timer) { return timer.expiry(); }, timer_);
  }
  // All three cancel the pending waits, as Asio's functions do.
  void expires_at(Steady expiry) {
    std::visit([&](auto& timer) { timer.expires_at(expiry); }, timer_);
  }
  void expires_after(Steady::duration wait) {
    std::visit([&](auto& timer) { timer.expires_after(wait); }, timer_);
  }
  void cancel() {
    std::visit([](auto& timer) { timer.cancel(); }, timer_);
  }

  template <typename Token>
  auto async_wait(Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code)>(Start{this}, token);
  }

 private:
  using Real = boost::asio::basic_waitable_timer<std::chrono::steady_clock>;

  struct Start {
    Timer* timer;
    template <typename Handler>
    void operator()(Handler&& handler) const {
      auto& either = timer->timer_;
      if (auto* real = std::get_if<Real>(&either)) {
        real->async_wait(std::forward<Handler>(handler));
      } else {
        std::get<VirtualTimer>(either).wait(std::forward<Handler>(handler));
      }
    }
  };

  using Either = std::variant<Real, VirtualTimer>;

  Timer(const boost::asio::any_io_executor& executor, std::shared_ptr<VirtualWaits> waits)
      : timer_(made(executor, std::move(waits))) {}
  static Either made(const boost::asio::any_io_executor& executor, std::shared_ptr<VirtualWaits> waits) {
    if (!waits) return Either(std::in_place_type<Real>, executor);
    return Either(std::in_place_type<VirtualTimer>, std::move(waits), executor);
  }

  Either timer_;
};

}  // namespace podium::async
