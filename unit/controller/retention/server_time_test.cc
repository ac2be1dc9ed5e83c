// Retention: no clock but the API server's decides how old a report is.
#include "unit/controller/retention/keeping.h"

namespace podium::controller::retention_test {
namespace {

TEST(Retention, AStepOfTheLocalClockMovesNothing) {
  for (const auto step : {-3'600s, 3'600s}) {
    SCOPED_TRACE(step.count());
    ServedApi s;
    unit::ManualClock clock;
    client::Api api(s.server.transport, clock, s.random);
    async::Gate gate;
    Retention retention(api, fast(), gate, s.io.get_executor());
    s.server.put(kPlural, {{"metadata", {{"name", "a"}, {"namespace", "shop"}, {"uid", "uid-of-a"}}},
                           {"spec", {{"dryRun", false}}}});
    retention.track("shop", "a", "uid-of-a", 100s, ReportKind::decision);
    clock.step_wall(step);
    retention.start();
    clock.advance(99s);
    for (int i = 0; i < 50; ++i) s.io.run_one();
    EXPECT_EQ(retention.deleted(), 0u);
    clock.advance(1s);
    for (int i = 0; i < 1'000 && retention.deleted() == 0; ++i) s.io.run_one();
    EXPECT_EQ(retention.deleted(), 1u);
    gate.cancel();
    s.io.run();
  }
}

TEST(Retention, AClockThatIsWrongAtTheStartDeletesNothingEarly) {
  Keeping k;
  k.keep("it", -3'600s, {{"podium.dev/ttl", "10"}});  // this machine is an hour behind
  k.keep("other", 3'600s, {{"podium.dev/ttl", "10000"}});
  k.run_until([&] { return k.retention.size() == 2; });
  EXPECT_EQ(k.names().size(), 2u);
  k.clock.advance(10s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{"other"});
}

// A client that may write a report may also write its managedFields.
TEST(Retention, ATimeThatAnAuthorWroteIsNotTheServers) {
  Keeping k;
  k.keep("it", 0s, {{"podium.dev/ttl", "100"}});
  k.keep("forged");
  auto object = k.report("forged");
  object.at("metadata").as_object()["managedFields"] =
      json::array{{{"manager", "kubectl"}, {"time", "2261-01-01T00:00:00Z"}}};
  k.server.put(kPlural, object);
  k.run_until([&] { return k.retention.size() == 2; });
  k.clock.advance(99s);
  k.run_on();
  EXPECT_EQ(k.deletes(), Lines{});
  k.clock.advance(1s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{"forged"});
}

}  // namespace
}  // namespace podium::controller::retention_test
