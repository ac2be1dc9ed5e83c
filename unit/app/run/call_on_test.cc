#include "app/run/call_on.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace podium::app::run {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

TEST(CallOn, BringsBackWhatTheOtherExecutorSays) {
  asio::io_context own, other;
  auto answer = asio::co_spawn(
      own, call_on<int>(other.get_executor(), [] { return 7; }, milliseconds(60'000)), asio::use_future);
  own.poll();
  other.run();
  own.run();
  EXPECT_EQ(answer.get(), 7);
}

TEST(CallOn, ContinuesWithoutAnAnswerThatIsLate) {
  asio::io_context own, other;
  int called = 0;
  auto answer = asio::co_spawn(
      own, call_on<int>(other.get_executor(), [&] { return ++called; }, milliseconds(1)), asio::use_future);
  own.run();
  EXPECT_EQ(answer.get(), std::nullopt);
  other.run();  // the function still runs; its result is dropped
  own.restart();
  own.run();
  EXPECT_EQ(called, 1);
}

}  // namespace
}  // namespace podium::app::run
