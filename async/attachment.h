// Attachment: lets other threads wake or stop a task that runs on a strand.
//
// A task (a reflector, a leader elector) outlives the coroutine that runs it, but executors and cancellation
// handlers must not outlive their context. So the strand and the cancellation slots are attached only while a
// Scope, a local of that coroutine, is alive.
// Owner: the task. Threads: post() from any thread; Scope, slot() and cancel() on the strand. Errors: none.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace podium::async {

class Attachment {
 public:
  using Strand = boost::asio::strand<boost::asio::any_io_executor>;

  class Scope {
   public:
    // `at_end` releases other holders of the executor: timers and streams.
    Scope(Attachment& attachment, Strand strand, std::function<void()> at_end = {})
        : attachment_(attachment), at_end_(std::move(at_end)) {
      const std::lock_guard lock(attachment_.mutex_);
      attachment_.strand_.emplace(std::move(strand));
    }
    ~Scope() {
      {
        const std::lock_guard lock(attachment_.mutex_);
        attachment_.strand_.reset();
      }
      attachment_.cancel_.slot().clear();
      if (at_end_) at_end_();
    }
    Scope(const Scope&) = delete;

   private:
    Attachment& attachment_;
    std::function<void()> at_end_;
  };

  // Posts `function` to the strand. False: no Scope is alive, and `function` is not called.
  template <typename Function>
  bool post(Function function) {
    const std::lock_guard lock(mutex_);
    if (strand_) boost::asio::post(*strand_, std::move(function));
    return strand_.has_value();
  }

  boost::asio::cancellation_slot slot() { return cancel_.slot(); }
  void cancel() { cancel_.emit(boost::asio::cancellation_type::terminal); }

 private:
  std::mutex mutex_;  // guards strand_
  std::optional<Strand> strand_;
  boost::asio::cancellation_signal cancel_;
};

}  // namespace podium::async
