#include "app/run/stop_deadline.h"

#include <gtest/gtest.h>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "log/format.h"

namespace podium::app::run {
namespace {

using namespace std::chrono_literals;

// Like Process's stop, with a worker that never ends.
void stop_with_a_busy_worker(int exit_code) {
  spdlog::init_thread_pool(16, 1);
  spdlog::set_default_logger(std::make_shared<spdlog::async_logger>(
      "test", std::make_shared<spdlog::sinks::stderr_sink_mt>(), spdlog::thread_pool()));
  spdlog::set_formatter(log::text_formatter());
  boost::asio::thread_pool workers(1);
  StopDeadline deadline([] { return "threads of what-ifs"; }, [exit_code] { return exit_code; });
  boost::asio::post(workers, [] {
    for (;;) std::this_thread::sleep_for(1ms);
  });
  deadline.begin(50ms);
  workers.join();
  ::_exit(99);
}

class StopDeadlineDeath : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StopDeadlineDeath, EndsTheProcessWithItsStatusAndSaysWhatDidNotEnd) {
  EXPECT_EXIT(stop_with_a_busy_worker(0), testing::ExitedWithCode(0), "waits_for=\"threads of what-ifs\"");
  EXPECT_EXIT(stop_with_a_busy_worker(1), testing::ExitedWithCode(1), "exit_code=1");
}

// A log without a reader must not delay the end.
void stop_with_a_log_that_is_full() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0 || ::dup2(ends[1], STDERR_FILENO) < 0) ::_exit(98);
  std::thread([] {
    const std::string text(1 << 20, 'x');
    (void)!::write(STDERR_FILENO, text.data(), text.size());
  }).detach();
  std::this_thread::sleep_for(50ms);
  stop_with_a_busy_worker(1);
}

TEST_F(StopDeadlineDeath, EndsTheProcessThoughTheLogTakesNoLine) {
  EXPECT_EXIT(stop_with_a_log_that_is_full(), testing::ExitedWithCode(1), "");
}

// The first deadline would never come.
void stop_twice() {
  StopDeadline deadline([] { return ""; }, [] { return 1; });
  deadline.begin(24h);
  std::this_thread::sleep_for(20ms);
  deadline.begin(10ms);
  deadline.begin(24h);
  std::this_thread::sleep_for(10s);
  ::_exit(99);
}

TEST_F(StopDeadlineDeath, ASecondStopShortensIt) {
  EXPECT_EXIT(stop_twice(), testing::ExitedWithCode(1), "");
}

TEST(StopDeadline, DoesNothingToAStopThatEnds) {
  std::atomic<bool> asked{false};
  StopDeadline deadline(
      [&] {
        asked = true;
        return "";
      },
      [] { return 1; });
  deadline.begin(30ms);
  deadline.end();
  std::this_thread::sleep_for(60ms);
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace podium::app::run
