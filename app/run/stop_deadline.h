// StopDeadline: ends the process if a stop takes too long.
//
// A coroutine can be cancelled; a thread that computes cannot. Without a deadline, a process that has lost
// its lease would neither lead nor end. The deadline has a thread of its own, because any other thread may be
// the busy one. At the deadline it logs the part that the stop waits for, flushes the log and calls _exit().
// No destructor runs: it would wait for the same thread.
//
// Owner: Process. Threads: any. Errors: the constructor throws if it cannot start its thread.
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
  using Time = std::chrono::steady_clock::time_point;
  // Waits for `changed`, and no longer than `until`; `lock` is locked before and after.
  using Wait = std::function<void(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                                  std::optional<Time> until)>;
  static void wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                   std::optional<Time> until);

  // `waits_for` and `exit_code` are called at the deadline, on the thread of this object. `waiting`: how
  // that thread waits; a test passes its own.
  StopDeadline(std::function<std::string()> waits_for, std::function<int()> exit_code, Wait waiting = wait);
  ~StopDeadline();
  StopDeadline(const StopDeadline&) = delete;

  // The stop has to end within this time. A second call can only shorten it.
  void begin(std::chrono::milliseconds within);
  void end();  // the stop has ended

 private:
  void run();
  void end_process() const;

  const std::function<std::string()> waits_for_;
  const std::function<int()> exit_code_;
  const Wait wait_;
  std::mutex mutex_;  // guards the next three
  std::condition_variable changed_;
  std::optional<Time> until_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace podium::app::run
