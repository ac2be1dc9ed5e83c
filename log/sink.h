// limited_sink(): a log sink that suppresses lines that repeat too fast, and logs how many it suppressed.
//
// Lines of one message and level pass at most kLinesASecond times per second. The suppressed lines are
// counted, and one line reports the count when the second is over. Debug and trace lines always pass.
//
// Threads: any, like any spdlog sink; call flush() at least once a second, so that counts are logged in time.
#pragma once

#include <spdlog/sinks/sink.h>

#include <cstdint>
#include <memory>

namespace podium::log {

constexpr unsigned kLinesASecond = 10;

std::shared_ptr<spdlog::sinks::sink> limited_sink(std::shared_ptr<spdlog::sinks::sink> next);

// The numbers of log lines that this process did not write.
struct Losses {
  std::uint64_t limited = 0;  // by limited_sink()
  std::uint64_t overrun = 0;  // because the queue to the log's thread was full
};
Losses losses();  // any thread

}  // namespace podium::log
