#include "log/sink.h"

#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "log/record.h"

namespace podium::log {
namespace {

constexpr std::size_t kMessages = 1'024;  // remembered at most

std::atomic<std::uint64_t>& limited_lines() {
  static std::atomic<std::uint64_t> lines{0};
  return lines;
}

class LimitedSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LimitedSink(std::shared_ptr<spdlog::sinks::sink> next) : next_(std::move(next)) {}

 private:
  using Time = spdlog::log_clock::time_point;
  using Kind = std::pair<int, std::string>;  // level and message
  struct Second {
    Time begin{};
    unsigned lines = 0;
    std::uint64_t suppressed = 0;
  };

  void sink_it_(const spdlog::details::log_msg& line) override {
    if (line.level < spdlog::level::info) return next_->log(line);
    const auto message = read_record({line.payload.data(), line.payload.size()}).message;
    if (seconds_.size() >= kMessages) forget(line.time);
    auto& [kind, second] = *seconds_.try_emplace({line.level, std::string(message)}).first;
    if (line.time - second.begin >= std::chrono::seconds(1)) {
      log_suppressed(kind, second, line.time);
      second = {.begin = line.time};
    }
    if (second.lines < kLinesASecond) {
      ++second.lines;
      return next_->log(line);
    }
    ++second.suppressed;
    limited_lines().fetch_add(1, std::memory_order_relaxed);
  }

  void flush_() override {
    const auto now = spdlog::log_clock::now();
    for (auto& [kind, second] : seconds_) {
      if (now - second.begin >= std::chrono::seconds(1)) log_suppressed(kind, second, now);
    }
    next_->flush();
  }

  void set_pattern_(const std::string& pattern) override { next_->set_pattern(pattern); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
    next_->set_formatter(std::move(formatter));
  }

  void log_suppressed(const Kind& kind, Second& second, Time now) {
    if (second.suppressed == 0) return;
    const auto lines = std::exchange(second.suppressed, 0);
    const auto text =
        make_record("log lines suppressed lines={} message={:?}", fmt::make_format_args(lines, kind.second));
    next_->log({now, {}, "", static_cast<spdlog::level::level_enum>(kind.first), text});
  }

  void forget(Time now) {
    for (auto& [kind, second] : seconds_) log_suppressed(kind, second, now);
    seconds_.clear();
  }

  const std::shared_ptr<spdlog::sinks::sink> next_;
  std::map<Kind, Second> seconds_;  // the current second of each kind
};

}  // namespace

std::shared_ptr<spdlog::sinks::sink> limited_sink(std::shared_ptr<spdlog::sinks::sink> next) {
  return std::make_shared<LimitedSink>(std::move(next));
}

Losses losses() {
  Losses out;
  out.limited = limited_lines().load(std::memory_order_relaxed);
  if (const auto pool = spdlog::thread_pool()) out.overrun = pool->overrun_counter();
  return out;
}

}  // namespace podium::log
