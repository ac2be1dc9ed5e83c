// What the recorder hears of the waits of a binding, for reports.
#include "unit/scheduler/cycle/binding_fixture.h"

namespace podium::cycle::recorded_waits_test {
namespace {

using framework::Progress;

TEST_F(Binding, TheRecorderHearsOnceWhatAPodWaitsFor) {
  a_.waits = b_.waits = 1min;
  a_.pre_binds = true;
  a_.ready_timeout = 1min;
  begin();
  scheduler_.waiting_pods().allow("uid-web", "A");
  EXPECT_EQ(world_.waits,
            (Log{"web: it waits for the permit of A and B", "web: it waits for the permit of B"}));
  world_.waits.clear();
  scheduler_.waiting_pods().allow("uid-web", "B");
  scheduler_.step();
  EXPECT_EQ(world_.waits, Log{}) << "not known yet";
  for (const auto* wait : {"a volume", "a volume", "another"}) {
    a_.progress = Progress::not_yet(wait);
    something_happens();
  }
  EXPECT_EQ(world_.waits, (Log{"web: a volume", "web: another"}));
  a_.progress = Progress::ready();
  something_happens();
  bound("web");
  EXPECT_EQ(world_.ends, Log{"web bound"});
  EXPECT_EQ(world_.waits.size(), 2u);
}

}  // namespace
}  // namespace podium::cycle::recorded_waits_test
