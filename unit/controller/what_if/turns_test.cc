// Turns: which namespace's question runs next.
#include "controller/what_if/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <string>
#include <vector>

#include "async/nap.h"
#include "async/timer.h"
#include "async/virtual_time.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

// Questions that take time on the workers, on virtual time.
class TurnsTest : public testing::Test {
 protected:
  static async::Task<void> run(TurnsTest* self, std::string ns, Turns::Cpu cost, Steady until) {
    const auto asked = async::TimerClock::now();
    auto turn = co_await self->turns.take(ns, until);
    if (!turn) {
      self->order.push_back(ns + " in vain");
      co_return;
    }
    self->order.push_back(ns);
    self->waited[ns] = std::max(self->waited[ns], async::TimerClock::now() - asked);
    Turns::Cpu charged{0};
    for (Turns::Cpu used{0}; used < cost; used += self->slice) {
      if (used - charged >= self->slice && turn->is_wanted()) {
        async::Timer resumed(co_await asio::this_coro::executor, Steady::max());
        turn->pause(used - charged, [&resumed] { resumed.cancel(); });
        charged = used;
        boost::system::error_code ignored;
        co_await resumed.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        self->order.push_back(ns + " continues");
      }
      co_await async::nap(std::chrono::ceil<std::chrono::milliseconds>(std::min(self->slice, cost - used)));
    }
    turn->charge(cost - charged);
  }
  void ask(const std::string& ns, Turns::Cpu cost, Steady until = Steady::max()) {
    auto task = run(this, ns, cost, until);
    asio::co_spawn(io, std::move(task), [](std::exception_ptr error) {
      if (error) std::rethrow_exception(error);
    });
    io.restart();
    io.poll();
  }
  void run_for(Steady::duration most) {
    const auto end = time.now() + most;
    for (io.restart(), io.poll(); time.now() < end; io.restart(), io.poll()) time.advance(end - time.now());
  }

  async::VirtualTime time;
  Turns::Cpu slice = std::chrono::hours(1);  // of a question that pauses
  Turns turns{1};
  std::vector<std::string> order;
  std::map<std::string, Steady::duration> waited;
  asio::io_context io;  // with the questions that have not ended
};

using Names = std::vector<std::string>;

TEST_F(TurnsTest, OneNamespaceDelaysAnotherByOneQuestion) {
  for (int i = 0; i < 20; ++i) ask("greedy", 3s);
  ask("modest", 10ms);
  run_for(20s);
  EXPECT_LE(waited["modest"], 3s);
  EXPECT_GT(waited["greedy"], 10s);
  ask("modest", 10ms);  // again
  run_for(100s);
  EXPECT_LE(waited["modest"], 3s);
  EXPECT_EQ(order.size(), 22u) << "all of them ran";
}

TEST_F(TurnsTest, SharesGoByCpu) {
  for (int i = 0; i < 30; ++i) ask("large", 1s);
  for (int i = 0; i < 300; ++i) ask("small", 100ms);
  run_for(20s);
  const auto small = std::ranges::count(order, "small"), large = std::ranges::count(order, "large");
  EXPECT_NEAR(static_cast<double>(small), 100, 15) << "half of the time each, " << large << " large ones";
}

TEST_F(TurnsTest, WhoWasIdleGetsNoCredit) {
  for (int i = 0; i < 100; ++i) ask("busy", 1s);
  run_for(50s);
  order.clear();
  for (int i = 0; i < 100; ++i) ask("new", 1s);
  run_for(10s);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(order, "busy")), 5, 1);
}

TEST_F(TurnsTest, AWaitEndsInTime) {
  ask("a", 10s);
  ask("b", 1s, async::TimerClock::now() + 2s);
  run_for(3s);
  EXPECT_EQ(order, (Names{"a", "b in vain"}));
  EXPECT_EQ(turns.waiting(), 0u);
  ask("c", 1s);
  turns.stop();
  run_for(20s);
  ask("d", 1s);
  EXPECT_EQ(order, (Names{"a", "b in vain", "c in vain", "d in vain"}));
}

TEST_F(TurnsTest, AShortQuestionWaitsForASliceOfALongOne) {
  slice = 100ms;
  ask("long", 5s);
  ask("long", 5s);
  run_for(1s);
  ask("short", 10ms);
  run_for(200ms);
  EXPECT_EQ(order, (Names{"long", "short", "long continues"}));
  EXPECT_LE(waited["short"], 100ms);
  ask("other", 5s);
  run_for(2s);
  ask("short", 10ms);
  run_for(200ms);
  EXPECT_LE(waited["short"], 110ms) << "while two take turns, and their slices began after its last one";
  order.clear();
  run_for(20s);
  EXPECT_EQ(std::ranges::count(order, "long"), 1) << "its second one";
  EXPECT_EQ(turns.waiting(), 0u);
}

// Only so many are paused: then one that runs has to end before another begins.
TEST_F(TurnsTest, FewArePaused) {
  slice = 100ms;
  for (const auto* ns : {"a", "b", "c", "d", "e"}) {
    ask(ns, 2s);
    run_for(100ms);
  }
  ask("short", 10ms);
  run_for(300ms);
  EXPECT_EQ(std::ranges::count(order, "e"), 0);
  run_for(2s);
  EXPECT_EQ(std::ranges::count(order, "e"), 1);
  EXPECT_LE(waited["short"], 2200ms) << "until one of the four has ended";
  run_for(20s);
  EXPECT_EQ(turns.waiting(), 0u) << "all of them ran";
}

TEST_F(TurnsTest, AStopEndsAllPauses) {
  slice = 100ms;
  ask("a", 2s);
  ask("b", 2s);
  run_for(300ms);
  turns.stop();
  order.clear();
  run_for(5s);
  EXPECT_EQ(std::ranges::count_if(order, [](const std::string& each) { return each.ends_with("continues"); }),
            1);
}

TEST_F(TurnsTest, RemembersFewNamespaces) {
  for (int i = 0; i < 3000; ++i) {
    ask("ns-" + std::to_string(i), 1s);
    run_for(1001ms);
  }
  EXPECT_LE(turns.remembered(), 1024u);
}

}  // namespace
}  // namespace podium::controller
