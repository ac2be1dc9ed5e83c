// Driver: steps the scheduler on its strand while there is work, and wakes it when there is work again.
//
// A turn takes a few pods only, so that the changes that the watches bring are not delayed. Each turn asks
// `may_decide` first (leadership).
// Owner: the Engine. Threads: all functions on the strand.
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
  // Takes no further pod; what is under way goes on. Calls `idle` once nothing is (Scheduler::under_way).
  void stop(std::function<void()> idle);
  void give_up();  // after stop(): calls `idle` now, whatever is under way
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
  std::function<void()> idle_;  // while it stops
};

}  // namespace podium::app
