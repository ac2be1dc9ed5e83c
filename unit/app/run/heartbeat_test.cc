#include "app/run/heartbeat.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "base/clock.h"
#include "unit/client/doubles.h"

namespace podium::app::run {
namespace {

TEST(Heartbeat, ReportsAStrandThatIsStuck) {
  boost::asio::io_context io, strand;
  unit::ManualClock clock;
  async::Gate gate;
  Heartbeat heartbeat(gate, io.get_executor(), strand.get_executor(), clock);
  EXPECT_EQ(heartbeat.why_unhealthy(), std::nullopt) << "nothing was asked of it yet";
  heartbeat.beat();
  clock.advance(std::chrono::seconds(9));
  EXPECT_EQ(heartbeat.why_unhealthy(), std::nullopt);
  heartbeat.beat();  // does not start again
  clock.advance(std::chrono::seconds(3));
  EXPECT_EQ(heartbeat.why_unhealthy(), "the scheduling strand has not answered for 12 s");
  strand.run();
  EXPECT_EQ(heartbeat.why_unhealthy(), std::nullopt);
}

TEST(Heartbeat, EndsWithItsGate) {
  boost::asio::io_context io, strand;
  async::Gate gate;
  Heartbeat heartbeat(gate, io.get_executor(), strand.get_executor(), system_clock());
  heartbeat.start();
  io.poll();
  strand.run();
  gate.cancel();
  io.run();
  EXPECT_EQ(gate.inside(), 0u);
}

}  // namespace
}  // namespace podium::app::run
