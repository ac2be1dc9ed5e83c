// Turns: decides which namespace uses a worker for what-ifs next, for CRs and the HTTPS API together.
//
// Questions wait by namespace. The namespace with the fewest running questions, and then the least CPU time
// since it began to ask, is first (start-time fair queueing). So one namespace delays another only by its
// running questions. An idle namespace gets no credit for its idle time. The callers bound the waiting
// questions: the writers of the CRs, and the limits of the HTTPS API.
//
// Source: Goyal, Vin, Cheng: Start-time Fair Queueing (1996).
// Owner: Asker; outlives each Turn and each take(). Threads: the I/O executor. Errors: none.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "async/task.h"
#include "async/timer.h"
#include "base/clock.h"

namespace podium::controller {

class Turns {
 public:
  using Cpu = std::chrono::nanoseconds;

  // `workers`: the number of concurrent turns.
  explicit Turns(std::size_t workers) : free_(workers) {}
  Turns(const Turns&) = delete;

  // The right to use one worker. It ends with this object.
  class Turn {
   public:
    Turn(Turns& turns, std::string ns) : turns_(&turns), ns_(std::move(ns)) {}
    Turn(Turn&& other) noexcept
        : turns_(std::exchange(other.turns_, nullptr)), ns_(std::move(other.ns_)), used_(other.used_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_) turns_->end(ns_, used_);
    }
    void charge(Cpu used) { used_ += used; }

   private:
    Turns* turns_;
    std::string ns_;
    Cpu used_{0};
  };

  // Waits for the namespace's turn. Nullopt: it did not come before `until`, or the process stops.
  async::Task<std::optional<Turn>> take(std::string ns, Steady until) {
    return take(this, std::move(ns), until);
  }

  // Ends all waits, and those that begin later.
  void stop();

  std::size_t waiting() const;
  std::size_t remembered() const { return namespaces_.size(); }

 private:
  struct Waiter {
    async::Timer* timer = nullptr;
    bool granted = false;
  };
  struct Namespace {
    Cpu used{0};  // on the common clock of all namespaces, see clock_
    std::size_t running = 0;
    std::deque<std::shared_ptr<Waiter>> waiting;
  };

  static async::Task<std::optional<Turn>> take(Turns* self, std::string ns, Steady until);
  void grant();
  void end(const std::string& ns, Cpu used);
  void leave(const std::string& ns, const std::shared_ptr<Waiter>& waiter);
  void forget_idle();

  std::size_t free_;
  bool stopped_ = false;
  Cpu clock_{0};  // `used` of the namespace of the last turn, when that began
  std::map<std::string, Namespace> namespaces_;
};

}  // namespace podium::controller
