// Precedence: bindings go before events and reports.
#include "client/precedence.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "async/gate.h"
#include "unit/client/doubles.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;

async::Task<void> wait_for_turn(Precedence* precedence, Steady since, bool* went) {
  co_await precedence->turn(since);
  *went = true;
}

struct Waiting {
  bool goes(Steady since) {
    bool went = false;
    async::spawn(gate, io.get_executor(), "turn", wait_for_turn(&precedence, since, &went));
    io.poll();
    if (!went) {
      gate.cancel();
      io.restart();
      io.run();
    }
    return went;
  }
  boost::asio::io_context io;
  async::Gate gate;
  unit::ManualClock clock;
  Precedence precedence{clock};
};

TEST(Precedence, NothingInFlightDelaysNothing) {
  Waiting w;
  EXPECT_TRUE(w.goes(w.clock.now()));
}

TEST(Precedence, AWriterYields) {
  Waiting w;
  w.precedence.enter();
  EXPECT_FALSE(w.goes(w.clock.now()));
}

TEST(Precedence, WhatHasWaitedForThePatienceContinues) {
  Waiting w;
  w.precedence.enter();
  EXPECT_TRUE(w.goes(w.clock.now() - Precedence::kPatience));
}

TEST(Precedence, TheLastToLeaveWakesAll) {
  Waiting w;
  bool first = false, second = false;
  w.precedence.enter();
  w.precedence.enter();
  for (bool* went : {&first, &second})
    async::spawn(w.gate, w.io.get_executor(), "turn", wait_for_turn(&w.precedence, w.clock.now(), went));
  w.io.poll();
  w.precedence.leave();
  w.io.poll();
  EXPECT_FALSE(first || second);
  w.precedence.leave();
  w.io.run();
  EXPECT_TRUE(first && second);
}

TEST(PrecedenceDeathTest, LeavesOnceForEachEntry) {
  Precedence precedence(system_clock());
  precedence.enter();
  precedence.leave();
  EXPECT_DEATH(precedence.leave(), "check failed at .*in_flight_ > 0");
}

}  // namespace
}  // namespace podium::client
