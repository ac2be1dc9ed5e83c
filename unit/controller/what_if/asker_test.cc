// Asker: bounds of a question that do not depend on who asks. Its answers are what_if_test's.
#include "controller/what_if/asker.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include "explain/answer/answer.h"
#include "unit/explain/answer/asking.h"
#include "unit/support/builders.h"

namespace podium::controller {

using namespace explain;
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

async::Task<cluster::Snapshot> fork_of_one_node() {
  cluster::Snapshot made;
  made.set_node(test::node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  co_return made;
}

struct AskerFixture {
  // The outcome, or why there is none.
  std::string ask(Steady until = Steady::max()) {
    auto question =
        std::make_shared<const explain::Question>(unit::about(test::pod("web").ns("shop").build(), 1));
    const std::function<std::string(ReportStatus)> finish = [this](ReportStatus status) {
      EXPECT_EQ(status.decided_at, clock.wall());
      return status.outcome == kRefused ? status.conditions.front().reason : status.outcome;
    };
    auto answer =
        asio::co_spawn(io, asker.ask<std::string>(std::move(question), finish, until), asio::use_future);
    io.restart();
    io.run();
    return answer.get();
  }

  unit::ManualClock clock;
  asio::io_context io;
  Asker asker{unit::default_config(), clock, io.get_executor(), fork_of_one_node};
};

TEST(Asker, Answers) { EXPECT_EQ(AskerFixture().ask(), "Fits"); }

TEST(Asker, DeclinesWhatBeginsTooLate) {
  AskerFixture asked;
  EXPECT_EQ(asked.ask(asked.clock.now() + 1s), "Fits");
  EXPECT_EQ(asked.ask(asked.clock.now()), kDeadlineExceeded);
}

TEST(Asker, EvaluatesNothingOnceItHasStopped) {
  AskerFixture asked;
  asked.asker.stop();
  EXPECT_EQ(asked.ask(), kDeadlineExceeded);
}

}  // namespace
}  // namespace podium::controller
