#include "async/gate.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>
#include <stdexcept>
#include <thread>

#include "async/nap.h"

namespace podium::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLong = 1h, kSoon = 60s;

Task<void> set(bool* done) {
  *done = true;
  co_return;
}

Task<void> sleep_long(bool* woke) {
  co_await nap(kLong);
  co_await nap(0s);  // throws where the first was cancelled
  *woke = true;
}

// Checks how its wait ended instead of throwing, like a loop that has to clean up.
Task<void> sleep_and_clean_up(bool* cleaned) {
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await nap(kLong);
  *cleaned = true;
}

Task<void> fail_with(std::string what) {
  throw std::runtime_error(what);
  co_return;
}

bool drained(asio::io_context& io, Gate& gate, std::chrono::milliseconds within) {
  auto done = asio::co_spawn(io, gate.drained(within), asio::use_future);
  io.restart();
  io.run_for(kSoon);
  return done.get();
}

TEST(Gate, HoldsWhatIsSpawnedUntilItEnds) {
  asio::io_context io;
  Gate gate;
  bool done = false;
  ASSERT_TRUE(spawn(gate, io.get_executor(), "set", set(&done)));
  EXPECT_EQ(gate.inside(), 1u);
  EXPECT_EQ(gate.names(), std::vector<std::string>{"set"});
  EXPECT_FALSE(done);
  EXPECT_TRUE(drained(io, gate, kSoon));
  EXPECT_TRUE(done);
  EXPECT_EQ(gate.inside(), 0u);
}

TEST(Gate, StartsNothingOnceItIsClosed) {
  asio::io_context io;
  Gate gate;
  gate.close();
  bool done = false;
  EXPECT_FALSE(spawn(gate, io.get_executor(), "set", set(&done)));
  EXPECT_TRUE(drained(io, gate, kSoon));
  EXPECT_FALSE(done);
}

TEST(Gate, SaysThatTheTimeIsOver) {
  asio::io_context io;
  Gate gate;
  bool woke = false;
  spawn(gate, io.get_executor(), "sleep", sleep_long(&woke));
  auto done = asio::co_spawn(io, gate.drained(1ms), asio::use_future);
  while (done.wait_for(0s) != std::future_status::ready) io.run_one();
  EXPECT_FALSE(done.get());
  EXPECT_EQ(gate.inside(), 1u);
  gate.cancel();
  EXPECT_TRUE(drained(io, gate, kSoon));
}

TEST(Gate, CancelEndsWaitsAndIsNotAFault) {
  asio::io_context io;
  int faults = 0;
  Gate gate([&](std::string_view, std::string_view) { ++faults; });
  bool woke = false, cleaned = false;
  spawn(gate, io.get_executor(), "sleep", sleep_long(&woke));
  spawn(gate, io.get_executor(), "clean", sleep_and_clean_up(&cleaned));
  io.poll();
  gate.cancel();
  EXPECT_TRUE(drained(io, gate, kSoon));
  EXPECT_FALSE(woke);
  EXPECT_TRUE(cleaned);
  EXPECT_EQ(faults, 0);
}

TEST(Gate, CancelReachesWhatHasNotStartedYet) {
  asio::io_context io;
  Gate gate;
  bool woke = false;
  spawn(gate, io.get_executor(), "sleep", sleep_long(&woke));
  gate.cancel();
  EXPECT_TRUE(drained(io, gate, kSoon));
  EXPECT_FALSE(woke);
}

TEST(Gate, ReportsAnExceptionByName) {
  asio::io_context io;
  std::vector<std::string> faults;
  Gate gate([&](std::string_view task, std::string_view what) {
    faults.push_back(std::string(task) + ": " + std::string(what));
  });
  spawn(gate, io.get_executor(), "watch pods", fail_with("out of luck"));
  EXPECT_TRUE(drained(io, gate, kSoon));
  EXPECT_EQ(faults, std::vector<std::string>{"watch pods: out of luck"});
}

TEST(GateDeathTest, AbortsWithoutAFault) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        asio::io_context io;
        Gate gate;
        spawn(gate, io.get_executor(), "watch pods", fail_with("out of luck"));
        io.run();
      },
      "");
}

TEST(GateDeathTest, AbortsWhereATaskOutlivesIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        asio::io_context io;
        bool done = false;
        Gate gate;
        spawn(gate, io.get_executor(), "set", set(&done));
      },
      "");
}

TEST(Gate, IsEmptyOnceTheContextIsGone) {
  Gate gate;
  bool woke = false;
  {
    asio::io_context io;
    spawn(gate, io.get_executor(), "runs", sleep_long(&woke));
    io.poll();
    spawn(gate, io.get_executor(), "has not started", sleep_long(&woke));
    EXPECT_EQ(gate.inside(), 2u);
  }
  EXPECT_EQ(gate.inside(), 0u);
}

// For the thread sanitizer: tasks start and end on two threads while a third closes the gate.
TEST(Gate, IsSafeFromSeveralThreads) {
  asio::io_context first, second;
  auto first_work = asio::make_work_guard(first), second_work = asio::make_work_guard(second);
  std::thread runs_first([&] { first.run(); }), runs_second([&] { second.run(); });
  Gate gate;
  bool woke[64] = {};
  for (int i = 0; i < 64; ++i) {
    spawn(gate, i % 2 ? first.get_executor() : second.get_executor(), "sleep", sleep_long(&woke[i]));
  }
  gate.cancel();
  EXPECT_TRUE(asio::co_spawn(first, gate.drained(kSoon), asio::use_future).get());
  first_work.reset();
  second_work.reset();
  runs_first.join();
  runs_second.join();
}

}  // namespace
}  // namespace podium::async
