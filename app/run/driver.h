// Driver: steps the scheduler on its strand, as long as there is something to do and as soon as there is
// again.
//
// A few pods a turn, so that what the watches bring is not kept waiting. Before each turn `may_decide` is
// asked (leadership).
// Threads: all functions on the strand.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "base/clock.h"
#include "scheduler/cycle/scheduler.h"

namespace podium::app::run {

class Driver {
 public:
  Driver(boost::asio::any_io_executor strand, cycle::Scheduler& scheduler, Clock& clock,
         std::function<bool()> may_decide);
  void start();
  void stop();  // no further pod is taken; bindings and preemptions under way go on
  bool started() const { return running_; }

 private:
  void wake();
  void turn();
  void sleep();

  boost::asio::any_io_executor strand_;
  cycle::Scheduler& scheduler_;
  Clock& clock_;
  std::function<bool()> may_decide_;
  boost::asio::steady_timer timer_;
  bool running_ = false, turn_posted_ = false;
};

}  // namespace podium::app::run
