// Writers: several workers that drain a FairQueue concurrently.
//
// `write` gets a batch of items with different keys and sets the outcome of each; an item without an outcome
// is done. A worker runs while an item is ready; otherwise a timer waits for the next backoff to end.
// Cancelling the gate cancels the callback; nothing is written after that.
//
// Owner: the part that queues the work; destroyed when the gate is empty. Threads: push(), forget() and
// counts() from any thread; `write` runs on `executor`, which runs one thing at a time (a context with one
// thread, or a strand). Errors: none; the outcomes of items are counted.
#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "async/fair_queue.h"
#include "async/gate.h"
#include "async/task.h"
#include "async/timer.h"
#include "base/clock.h"
#include "base/random.h"

namespace podium::async {

struct WritersOptions {
  std::string name;  // of the tasks, in logs
  unsigned workers = 4;
  std::size_t most_in_batch = 1;  // items in a batch
  FairQueueOptions queue;
};

struct WritersCounts {
  std::size_t waiting = 0, busy = 0;
  std::uint64_t done = 0, failed = 0, dropped = 0;  // see FairQueue
};

template <typename T>
class Writers {
 public:
  using Item = typename FairQueue<T>::Taken;
  using Pushed = typename FairQueue<T>::Pushed;
  using Write = std::function<Task<void>(std::vector<Item>& batch)>;

  Writers(WritersOptions options, Clock& clock, Random& random, Gate& gate,
          boost::asio::any_io_executor executor, Write write)
      : options_(std::move(options)),
        clock_(clock),
        gate_(gate),
        executor_(std::move(executor)),
        write_(std::move(write)),
        queue_(options_.queue, random) {}
  Writers(const Writers&) = delete;

  Pushed push(const std::string& ns, const std::string& key, T value, unsigned lane = 0) {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      ++late_;
      return Pushed::refused;
    }
    const auto pushed = queue_.push(ns, key, std::move(value), lane, clock_.now());
    start();
    return pushed;
  }

  // Adds ready items to a batch that `write` has waited with, up to the most in a batch.
  void fill(std::vector<Item>& batch) {
    const std::lock_guard lock(mutex_);
    const auto left = options_.most_in_batch - std::min(options_.most_in_batch, batch.size());
    auto more = queue_.take(clock_.now(), left);
    std::ranges::move(more, std::back_inserter(batch));
  }

  // Drops the waiting value of the key. A value in progress is not retried.
  void forget(const std::string& key) {
    const std::lock_guard lock(mutex_);
    queue_.forget(key);
    end_drain_if_idle();
  }

  // Drops the waiting value of the key if `is_void(value)`. A value in progress continues.
  template <typename F>
  void forget_if(const std::string& key, F&& is_void) {
    const std::lock_guard lock(mutex_);
    queue_.forget_if(key, is_void);
    end_drain_if_idle();
  }

  // Waits; may be in progress as well.
  bool contains(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    return queue_.contains(key);
  }

  bool holds(const std::string& key) const {  // waits or is in progress
    const std::lock_guard lock(mutex_);
    return queue_.holds(key);
  }

  // Writes each waiting item once, without regard to backoffs. Returns when nothing is left, or at the
  // limit, which drops the rest; the values for which `is_minor` is true are dropped at theirs. Later items
  // are not taken.
  using IsMinor = std::function<bool(const T& value)>;
  Task<void> drain(DrainLimits limits, IsMinor is_minor = {}) {
    const auto executor = co_await boost::asio::this_coro::executor;
    boost::system::error_code ignored;
    const auto first = is_minor ? limits.minor : limits.all;
    auto timer = std::make_shared<Timer>(executor, first);
    if (begin_drain(timer)) {
      co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
      timer = std::make_shared<Timer>(executor, limits.all - first);
      if (continue_drain(timer, is_minor))
        co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    }
    const std::lock_guard lock(mutex_);
    drained_.reset();
    closed_ = true;
    queue_.clear();
  }
  bool draining() const {
    const std::lock_guard lock(mutex_);
    return draining_;
  }

  WritersCounts counts() const {
    const std::lock_guard lock(mutex_);
    return {.waiting = queue_.waiting(),
            .busy = queue_.busy(),
            .done = queue_.done(),
            .failed = queue_.failed(),
            .dropped = queue_.dropped() + late_};
  }

 private:
  using TimerPtr = std::shared_ptr<Timer>;

  // The next action of a worker: write a batch, sleep, or (if neither is set) end.
  struct Step {
    std::vector<Item> batch;
    TimerPtr sleep;
  };

  Task<void> work() {
    for (;;) {
      Step step = next();
      if (!step.batch.empty()) {
        co_await write_(step.batch);
        finish(std::move(step.batch));
      } else if (step.sleep) {
        boost::system::error_code ignored;
        co_await step.sleep->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
        if (!wake()) co_return;
      } else {
        co_return;
      }
    }
  }

  Step next() {
    const std::lock_guard lock(mutex_);
    Step step;
    const auto now = clock_.now();
    step.batch = queue_.take(now, options_.most_in_batch);
    if (!step.batch.empty()) {
      start();
      return step;
    }
    --awake_;
    const auto at = queue_.next_ready();
    if (!at) return step;
    if (!sleeper_) {
      step.sleep = sleeper_ = std::make_shared<Timer>(executor_, *at - now);
      sleeps_until_ = *at;
    } else if (*at < sleeps_until_) {
      cancel(sleeper_);
    }
    return step;
  }

  void finish(std::vector<Item> batch) {
    const std::lock_guard lock(mutex_);
    const auto now = clock_.now();
    for (auto& item : batch) queue_.finish(std::move(item), now);
    end_drain_if_idle();
  }

  // False: enough other workers are awake.
  bool wake() {
    const std::lock_guard lock(mutex_);
    sleeper_.reset();
    if (awake_ >= options_.workers) return false;
    ++awake_;
    return true;
  }

  // --- under the mutex ---

  // Starts a worker if an item is ready, or if no worker waits for the time at which one is.
  void start() {
    const auto at = queue_.next_ready();
    if (!at || awake_ >= options_.workers) return;
    const bool is_awaited = awake_ > 0 || (sleeper_ && sleeps_until_ <= *at);
    if (*at > clock_.now() && is_awaited) return;
    ++awake_;
    if (!spawn(gate_, executor_, options_.name, work())) --awake_;
  }

  bool is_idle() const { return queue_.waiting() == 0 && queue_.busy() == 0; }
  void end_drain_if_idle() {
    if (drained_ && is_idle()) cancel(std::exchange(drained_, nullptr));
  }

  bool begin_drain(const TimerPtr& timer) {
    const std::lock_guard lock(mutex_);
    draining_ = true;
    queue_.flush_now(clock_.now());
    if (is_idle()) return false;
    drained_ = timer;
    if (sleeper_) cancel(sleeper_);
    start();
    return true;
  }

  // False: nothing is left to write.
  bool continue_drain(const TimerPtr& timer, const IsMinor& is_minor) {
    const std::lock_guard lock(mutex_);
    drained_.reset();
    if (is_minor) queue_.drop_if(is_minor);
    if (is_idle()) return false;
    drained_ = timer;
    return true;
  }

  // A timer is used on its own executor only.
  static void cancel(TimerPtr timer) {
    boost::asio::post(timer->get_executor(), [timer] { timer->cancel(); });
  }

  const WritersOptions options_;
  Clock& clock_;
  Gate& gate_;
  const boost::asio::any_io_executor executor_;
  const Write write_;
  mutable std::mutex mutex_;  // guards these
  FairQueue<T> queue_;
  unsigned awake_ = 0;  // all workers but the sleeping one
  TimerPtr sleeper_, drained_;
  Steady sleeps_until_{};
  bool draining_ = false, closed_ = false;
  std::uint64_t late_ = 0;  // pushed after the end
};

}  // namespace podium::async
