// DecisionLog: writes each decision as a line of JSON to a file or to standard output, for log pipelines.
//
// A thread writes. Decisions wait for it in a queue of kQueued; if that is full because the reader is slow,
// the new ones are dropped and counted, so that scheduling never waits. A file of kFile bytes is renamed to
// FILE.1, and a new one is begun.
//
// Owner: run(). Threads: add() from any. The destructor writes what is queued, for kLast at most.
// Errors: open() if the file cannot be written; later faults are logged, and their lines are dropped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/result.h"
#include "controller/recorder/decision_memory.h"

namespace podium::app::run {

class DecisionLog {
 public:
  static constexpr std::size_t kQueued = 4096;             // decisions
  static constexpr std::size_t kFile = 64u * 1024 * 1024;  // bytes
  static constexpr std::chrono::seconds kLast{1};

  struct Options {
    std::string path;  // "-": standard output
    bool withholds_node_names = false;
    std::size_t file_bytes = kFile;
  };
  static Result<std::unique_ptr<DecisionLog>> open(Options options);
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;

  // Called with each line's end, on any thread. Only before the first add().
  void on_end(std::function<void(bool was_written)> ended);
  void add(controller::RememberedDecision decision);

 private:
  DecisionLog(Options options, int file);
  void write_all();
  bool write(const std::string& line);
  bool is_writable();  // false: the time after the end is over
  void begin_new_file();
  void ended(bool was_written) const;

  const Options options_;
  std::function<void(bool)> ended_;
  int file_;
  std::size_t bytes_ = 0;  // of the file
  std::mutex mutex_;       // guards what follows
  std::condition_variable added_;
  bool has_added_ = false;
  std::deque<controller::RememberedDecision> queue_;
  std::optional<std::chrono::steady_clock::time_point> last_;  // when the destructor gives up
  std::thread thread_;
};

}  // namespace podium::app::run
