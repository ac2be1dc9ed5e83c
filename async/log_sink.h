// limited_sink(): a log sink that leaves out what repeats too fast, and says how much.
//
// Lines of one message and level pass at most kLinesASecond times in a second. What is left out is counted,
// and told in one line once the second is over. Debug and trace lines always pass.
//
// Threads: any, like any spdlog sink; flush() at least once a second, so that a count is told in time.
#pragma once

#include <spdlog/sinks/sink.h>

#include <cstdint>
#include <memory>

namespace podium::async {

constexpr unsigned kLinesASecond = 10;

std::shared_ptr<spdlog::sinks::sink> limited_sink(std::shared_ptr<spdlog::sinks::sink> next);

// Lines that this process did not write.
struct LogLosses {
  std::uint64_t limited = 0;  // by limited_sink()
  std::uint64_t overrun = 0;  // as the queue to the log's thread was full
};
LogLosses log_losses();

}  // namespace podium::async
