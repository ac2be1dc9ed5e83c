#include "async/within.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "async/nap.h"
#include "async/virtual_time.h"

namespace podium::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

Task<int> seven_after(std::chrono::seconds time, bool* ended) {
  if (time.count() > 0) co_await nap(time);
  *ended = true;
  co_return 7;
}

struct Waiting {
  // Waits for up to ten seconds.
  std::optional<int> wait(std::chrono::seconds task) {
    auto result =
        asio::co_spawn(io, within<int>(gate, "seven", seven_after(task, &ended), 10s), asio::use_future);
    while (result.wait_for(0s) != std::future_status::ready) {
      io.restart();
      if (io.poll() == 0) time.advance(1h);
    }
    return result.get();
  }

  VirtualTime time;
  Gate gate;
  asio::io_context io;
  bool ended = false;
};

TEST(Within, ReturnsTheResult) {
  Waiting waiting;
  EXPECT_EQ(waiting.wait(0s), 7);
  EXPECT_EQ(waiting.wait(9s), 7);
}

TEST(Within, ContinuesWithoutATaskThatIsLate) {
  Waiting waiting;
  EXPECT_EQ(waiting.wait(11s), std::nullopt);
  EXPECT_FALSE(waiting.ended);
  EXPECT_EQ(waiting.gate.inside(), 1u);
  while (waiting.gate.inside() > 0) {
    waiting.io.restart();
    if (waiting.io.poll() == 0) waiting.time.advance(1h);
  }
  EXPECT_TRUE(waiting.ended);
}

TEST(Within, StartsNothingInAClosedGate) {
  Waiting waiting;
  waiting.gate.close();
  EXPECT_EQ(waiting.wait(1s), std::nullopt);
  EXPECT_FALSE(waiting.ended);
}

}  // namespace
}  // namespace podium::async
