// Timer: the program's only timer. Every wait uses it, or nap(), which is made of it.
//
// It runs on the steady clock. While a VirtualTime exists on the thread (async/virtual_time.h), it runs on
// that instead, so that a simulation covers hours in milliseconds.
// Threads: as an Asio timer: on its executor only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <utility>

#include "base/clock.h"

namespace podium::async {

// What Asio requires of a timer's clock.
struct TimerClock {
  using duration = Steady::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = Steady;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
  static void expected(time_point expiry);  // tells a VirtualTime where to go next
};

class Timer : public boost::asio::basic_waitable_timer<TimerClock> {
  using Base = boost::asio::basic_waitable_timer<TimerClock>;

 public:
  // Does not expire until told when.
  explicit Timer(boost::asio::any_io_executor executor) : Timer(std::move(executor), Steady::max()) {}
  Timer(boost::asio::any_io_executor executor, Steady expiry) : Base(std::move(executor), expiry) {
    TimerClock::expected(expiry);
  }
  Timer(boost::asio::any_io_executor executor, Steady::duration wait) : Base(std::move(executor), wait) {
    TimerClock::expected(expiry());
  }

  // Both cancel the waits that are pending, as Asio's do.
  void expires_at(Steady expiry) {
    Base::expires_at(expiry);
    TimerClock::expected(expiry);
  }
  void expires_after(Steady::duration wait) {
    Base::expires_after(wait);
    TimerClock::expected(expiry());
  }
};

}  // namespace podium::async
