// Driver: steps the Scheduler on its strand while there is work, sleeps until its next wakeup otherwise.
//
// A turn schedules only a few pods, so that watch changes are not delayed. Each turn first
// calls `may_decide` (leadership).
//
// Owner: the Engine. Threads: all functions on the strand. Errors: none.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>

#include "async/timer.h"
#include "base/clock.h"
#include "scheduler/cycle/scheduler.h"

namespace podium::app {

class Driver {
 public:
  Driver(boost::asio::any_io_executor strand, cycle::Scheduler& scheduler, Clock& clock,
         std::function<bool()> may_decide);
  void start();
  // Schedules no further pod; work in flight continues. Calls `idle` when Scheduler::in_flight() is 0.
  void stop(std::function<void()> idle);
  void give_up();  // after stop(): calls `idle` now, even with work in flight
  bool started() const { return running_; }

 private:
  void wake();
  void turn();
  void sleep();

  boost::asio::any_io_executor strand_;
  cycle::Scheduler& scheduler_;
  Clock& clock_;
  std::function<bool()> may_decide_;
  async::Timer timer_;
  bool running_ = false, turn_posted_ = false;
  std::function<void()> idle_;  // set while stopping
};

}  // namespace podium::app
