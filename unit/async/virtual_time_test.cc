// A virtual hour takes no time, and timers expire in order.
#include "async/virtual_time.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <vector>

#include "async/gate.h"
#include "async/nap.h"

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
  } while (time.advance(io, 3h));
  EXPECT_EQ(gate.inside(), 0u);
  EXPECT_EQ(woke,
            (decltype(woke){{1500s, 1500s}, {3000s, 1500s}, {3600s, 3600s}, {4500s, 1500s}, {7200s, 3600s}}));
  EXPECT_EQ(time.now() - began, 7200s + 3h);
}

TEST(VirtualTime, AStepOfTheWallClockMovesNoTimer) {
  VirtualTime time;
  const auto now = time.now();
  const auto wall = time.wall();
  time.step_wall(-1h);
  EXPECT_EQ(time.now(), now);
  EXPECT_EQ(time.wall(), wall - 1h);
}

}  // namespace
}  // namespace podium::async
