// The limit on log lines that repeat.
#include "log/sink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <chrono>
#include <sstream>

#include "log/format.h"
#include "log/record.h"

namespace podium::log {
namespace {

using namespace std::chrono_literals;

class LogSink : public testing::Test {
 protected:
  LogSink() { sink_->set_formatter(text_formatter("%*")); }

  void log(const std::string& text, spdlog::level::level_enum level = spdlog::level::warn) {
    sink_->log({now_, {}, "", level, text});
  }
  void log_field(const char* format, const std::string& value) {
    log(make_record(format, fmt::make_format_args(value)));
  }
  std::size_t lines(const std::string& start) const {
    std::size_t n = 0;
    std::istringstream all(out_.str());
    for (std::string line; std::getline(all, line);) n += line.starts_with(start);
    return n;
  }

  std::ostringstream out_;
  std::shared_ptr<spdlog::sinks::sink> sink_ =
      limited_sink(std::make_shared<spdlog::sinks::ostream_sink_mt>(out_));
  spdlog::log_clock::time_point now_ = spdlog::log_clock::now();
};

TEST_F(LogSink, RepeatsAreCountedInsteadOfWritten) {
  const auto before = losses().limited;
  for (int i = 0; i < 100; ++i) log_field("binding refused pod={}", fmt::format("p{}", i));
  log("another message");
  EXPECT_EQ(lines("binding refused"), kLinesASecond);
  EXPECT_EQ(lines("another message"), 1u) << "each message has its own limit";
  EXPECT_EQ(losses().limited - before, 100 - kLinesASecond);
  now_ += 1s;
  log_field("binding refused pod={}", "last");
  EXPECT_EQ(lines("binding refused pod=last"), 1u) << "a new second";
  EXPECT_EQ(lines("log lines suppressed lines=90 message=\"binding refused\""), 1u) << out_.str();
}

TEST_F(LogSink, TheCountIsWrittenWithoutAnotherLine) {
  now_ -= 2s;
  for (int i = 0; i < 11; ++i) log_field("x y={}", "1");
  sink_->flush();
  EXPECT_EQ(lines("log lines suppressed lines=1 message=\"x\""), 1u) << out_.str();
  sink_->flush();
  EXPECT_EQ(lines("log lines suppressed"), 1u) << "once";
}

TEST_F(LogSink, LevelsCountApartAndDebugIsNotLimited) {
  for (int i = 0; i < 20; ++i) {
    log("x", spdlog::level::info);
    log("x", spdlog::level::err);
    log("d", spdlog::level::debug);
  }
  EXPECT_EQ(lines("x"), 2 * kLinesASecond);
  EXPECT_EQ(lines("d"), 20u);
}

TEST_F(LogSink, ManyMessagesTakeBoundedMemoryAndLoseNoCount) {
  for (int i = 0; i < 20; ++i) log("first");
  for (int i = 0; i < 3'000; ++i) log(fmt::format("message {}", i));
  EXPECT_EQ(lines("message"), 3'000u);
  EXPECT_EQ(lines("log lines suppressed lines=10 message=\"first\""), 1u);
}

}  // namespace
}  // namespace podium::log
