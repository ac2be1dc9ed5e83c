// StopDeadline: ends the process where a stop does not end, whatever a thread computes.
//
// A coroutine can be cancelled, a thread that computes cannot: without this, a process that has lost its
// lease would neither lead nor end. A thread of its own waits for the deadline, since any other may be the
// busy one. Then one line says what the stop waits for, the log is flushed, and the process ends by _exit():
// no destructor runs, as they would wait for the same thread.
//
// Owner: Process. Threads: all functions from any. Errors: the constructor throws where no thread is left.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace podium::app::run {

class StopDeadline {
 public:
  // `waits_for` and `exit_code` are called at the deadline, on the thread of this object.
  StopDeadline(std::function<std::string()> waits_for, std::function<int()> exit_code);
  ~StopDeadline();
  StopDeadline(const StopDeadline&) = delete;

  // The stop has to end within this time. A second call can only shorten it.
  void begin(std::chrono::milliseconds within);
  void end();  // the stop has ended

 private:
  using Time = std::chrono::steady_clock::time_point;
  void run();
  void end_process() const;

  const std::function<std::string()> waits_for_;
  const std::function<int()> exit_code_;
  std::mutex mutex_;  // guards the next three
  std::condition_variable changed_;
  std::optional<Time> until_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace podium::app::run
