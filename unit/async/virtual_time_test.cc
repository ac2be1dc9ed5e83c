// A virtual hour takes no time, and timers expire in order.
#include "async/virtual_time.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <vector>

#include "async/gate.h"
#include "async/nap.h"
#include "async/timer.h"
#include "unit/async/virtual_run.h"

namespace podium::async {
namespace {

using namespace std::chrono_literals;

Task<void> sleeps(const VirtualTime& time, Steady began, std::chrono::seconds each, int times,
                  std::vector<std::pair<Steady::duration, std::chrono::seconds>>& woke) {
  for (int i = 0; i < times; ++i) {
    co_await nap(each);
    woke.emplace_back(time.now() - began, each);
  }
}

TEST(VirtualTime, TimersExpireInOrderAndAtTheirTime) {
  VirtualTime time;
  boost::asio::io_context io{1};
  Gate gate;
  std::vector<std::pair<Steady::duration, std::chrono::seconds>> woke;
  const auto began = time.now();
  spawn(gate, io.get_executor(), "hours", sleeps(time, began, 3600s, 2, woke));
  spawn(gate, io.get_executor(), "minutes", sleeps(time, began, 1500s, 3, woke));
  do {
    io.restart();
    io.poll();
  } while (time.advance(3h));
  EXPECT_EQ(gate.inside(), 0u);
  EXPECT_EQ(woke,
            (decltype(woke){{1500s, 1500s}, {3000s, 1500s}, {3600s, 3600s}, {4500s, 1500s}, {7200s, 3600s}}));
  EXPECT_EQ(time.now() - began, 7200s + 3h);
}

// Which of the timers expired, in order; negative: it was cancelled.
struct Expired {
  void wait(Timer& timer, int number) {
    timer.async_wait(
        [this, number](boost::system::error_code error) { all.push_back(error ? -number : number); });
  }
  std::vector<int> after(VirtualTime& time, boost::asio::io_context& io, Steady::duration wait) {
    unit::run_for(io, time, wait);
    return std::exchange(all, {});
  }
  std::vector<int> all;
};

TEST(VirtualTime, TimersOfOneTimeExpireInTheOrderOfTheirWaits) {
  VirtualTime time;
  boost::asio::io_context io{1};
  Expired expired;
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 1; i <= 5; ++i) timers.push_back(std::make_unique<Timer>(io.get_executor(), 10s));
  for (const int i : {3, 1, 5, 2, 4}) expired.wait(*timers[i - 1], i);
  EXPECT_EQ(expired.after(time, io, 9s), (std::vector<int>{}));
  EXPECT_EQ(expired.after(time, io, 1s), (std::vector<int>{3, 1, 5, 2, 4}));
}

TEST(VirtualTime, ATimerThatIsCancelledOrMovedEndsItsWaits) {
  VirtualTime time;
  boost::asio::io_context io{1};
  Expired expired;
  Timer cancelled(io.get_executor(), 10s), moved(io.get_executor(), 10s), never(io.get_executor());
  expired.wait(cancelled, 1);
  expired.wait(moved, 2);
  expired.wait(never, 4);
  cancelled.cancel();
  moved.expires_after(20s);
  expired.wait(moved, 3);
  EXPECT_EQ(expired.after(time, io, 15s), (std::vector<int>{-1, -2}));
  EXPECT_EQ(expired.after(time, io, 1h), (std::vector<int>{3}));
  EXPECT_EQ(moved.expiry(), time.now() + 5s - 1h);
  std::optional<Timer> gone(std::in_place, io.get_executor(), 10s);
  expired.wait(*gone, 5);
  gone.reset();
  EXPECT_EQ(expired.after(time, io, 0s), (std::vector<int>{-5}));
}

TEST(VirtualTime, ATimerOfThePastExpiresImmediately) {
  VirtualTime time;
  boost::asio::io_context io{1};
  Expired expired;
  Timer past(io.get_executor(), time.now() - 1s);
  expired.wait(past, 1);
  EXPECT_EQ(expired.after(time, io, 0s), (std::vector<int>{1}));
}

TEST(VirtualTime, ACancelledTaskLeavesItsNap) {
  VirtualTime time;
  boost::asio::io_context io{1};
  Gate gate;
  std::vector<std::pair<Steady::duration, std::chrono::seconds>> woke;
  spawn(gate, io.get_executor(), "sleeps", sleeps(time, time.now(), 3600s, 1, woke));
  io.poll();
  gate.cancel();
  io.restart();
  io.poll();
  EXPECT_EQ(gate.inside(), 0u);
  EXPECT_EQ(time.next(), Steady::max());
}

Task<void> sleep_for_a_minute(int* woke) {
  co_await nap(60s);
  ++*woke;
}

// A context that is destroyed destroys the tasks that sleep in it, whether the time is still there or not.
TEST(VirtualTime, AContextTakesItsTasksWithIt) {
  for (const bool time_goes_first : {false, true}) {
    std::optional<VirtualTime> time(std::in_place);
    Gate gate;
    int woke = 0;
    boost::asio::io_context other{1};
    spawn(gate, other.get_executor(), "stays", sleep_for_a_minute(&woke));
    other.poll();
    {
      boost::asio::io_context io{1};
      spawn(gate, io.get_executor(), "goes", sleep_for_a_minute(&woke));
      io.poll();
      EXPECT_EQ(gate.inside(), 2u);
      if (time_goes_first) time.reset();
    }
    EXPECT_EQ(gate.names(), std::vector<std::string>{"stays"});
    if (time) {
      time->advance(1h);
    } else {
      gate.cancel();
    }
    other.restart();
    other.poll();
    EXPECT_EQ(gate.inside(), 0u);
    EXPECT_EQ(woke, 1);
  }
}

}  // namespace
}  // namespace podium::async
