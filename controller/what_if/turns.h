// Turns: decides which namespace uses a worker for what-ifs next, for CRs and the HTTPS API together.
//
// Questions wait by namespace. The namespace with the fewest running questions, and then the least CPU time
// since it began to ask, is first (start-time fair queueing). A question that runs for long pauses, and its
// turn comes again by the same order: another namespace waits for a slice of it, not for its end. Few are
// paused at the same time, since each keeps a thread and its memory; beyond that, a question runs to its end.
// An idle namespace gets no credit for its idle time. The callers bound the waiting questions: the writers of
// the CRs, and the limits of the HTTPS API.
//
// Source: Goyal, Vin, Cheng: Start-time Fair Queueing (1996).
// Owner: Asker; outlives each Turn and each take(). Threads: the I/O executor; is_wanted() any. Errors: none.
#pragma once

#include <atomic>
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
#include "base/instant.h"

namespace podium::controller {

// Why a question was not answered that got no turn.
inline constexpr auto kNoThread = "no thread for what-ifs was free in time";

class Turns {
 public:
  using Cpu = std::chrono::nanoseconds;

  static constexpr std::size_t kMostPaused = 3;
  // Called once, when the turn continues, and also if the process stops.
  using Resumed = std::function<void()>;

  // `workers`: the number of concurrent turns, and of those of a namespace that have begun.
  explicit Turns(std::size_t workers) : workers_(workers) {}
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
    // Whether another question should run now.
    bool is_wanted() const { return turns_->is_wanted_.load(std::memory_order_relaxed); }
    // Gives the worker to another until its turn comes again. `used`: since the turn began or continued.
    void pause(Cpu used, Resumed resumed) { turns_->pause(ns_, used, std::move(resumed)); }

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
    Resumed resumed = {};  // of one that is paused
  };
  struct Namespace {
    Cpu used{0};  // on the common clock of all namespaces, see clock_
    std::size_t running = 0, paused = 0;
    std::deque<std::shared_ptr<Waiter>> waiting;  // the paused ones first
  };
  using Namespaces = std::map<std::string, Namespace>;

  static async::Task<std::optional<Turn>> take(Turns* self, std::string ns, Steady until);
  bool is_full() const { return running_ + paused_ >= workers_ + kMostPaused; }
  bool may_go(const Namespace& of) const;
  Namespaces::iterator next();
  void update_wanted();
  void grant();
  void pause(const std::string& ns, Cpu used, Resumed resumed);
  void end(const std::string& ns, Cpu used);
  void leave(const std::string& ns, const std::shared_ptr<Waiter>& waiter);
  void forget_idle();

  const std::size_t workers_;
  std::size_t running_ = 0, paused_ = 0;
  std::atomic<bool> is_wanted_{false};
  bool stopped_ = false;
  Cpu clock_{0};  // `used` of the namespace of the last turn, when that began
  Namespaces namespaces_;
};

}  // namespace podium::controller
