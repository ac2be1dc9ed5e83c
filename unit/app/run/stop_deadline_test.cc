#include "app/run/stop_deadline.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cerrno>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

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
  boost::asio::post(workers, [] { std::promise<void>().get_future().wait(); });
  deadline.begin(1ms);
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
  if (::pipe2(ends.data(), O_NONBLOCK) != 0) ::_exit(98);
  const std::string text(4096, 'x');
  while (::write(ends[1], text.data(), text.size()) > 0) {
  }
  if (errno != EAGAIN || ::fcntl(ends[1], F_SETFL, 0) != 0 || ::dup2(ends[1], STDERR_FILENO) < 0) ::_exit(98);
  stop_with_a_busy_worker(1);
}

TEST_F(StopDeadlineDeath, EndsTheProcessThoughTheLogTakesNoLine) {
  EXPECT_EXIT(stop_with_a_log_that_is_full(), testing::ExitedWithCode(1), "");
}

// The first deadline would never come.
void stop_twice() {
  std::promise<void> waits;
  bool is_known = false;
  StopDeadline deadline([] { return ""; }, [] { return 1; },
                        [&](auto& changed, auto& lock, auto until) {
                          if (until && !std::exchange(is_known, true)) waits.set_value();
                          StopDeadline::wait(changed, lock, until);
                        });
  deadline.begin(24h);
  waits.get_future().wait();
  deadline.begin(1ms);
  deadline.begin(24h);
  std::promise<void>().get_future().wait_for(10s);
  ::_exit(99);
}

TEST_F(StopDeadlineDeath, ASecondStopShortensIt) {
  EXPECT_EXIT(stop_twice(), testing::ExitedWithCode(1), "");
}

TEST(StopDeadline, DoesNothingToAStopThatEnds) {
  std::promise<void> waits, ended;
  std::atomic<int> waited = 0;
  {
    StopDeadline deadline([] { return "nothing"; }, [] { return 1; },
                          [&](auto&, auto& lock, auto) {
                            if (++waited == 1) waits.set_value();
                            lock.unlock();
                            ended.get_future().wait();
                            lock.lock();
                          });
    waits.get_future().wait();
    deadline.begin(0ms);  // so it has passed when the thread looks
    deadline.end();
    ended.set_value();
  }
  EXPECT_EQ(waited, 1);
}

}  // namespace
}  // namespace podium::app::run
