// The calls to recorder, nominator and announcer that the log of a binding does not show.
#include "unit/scheduler/cycle/binding_fixture.h"

namespace podium::cycle {
namespace {

TEST_F(Binding, EveryDecisionIsRecorded) {
  begin();
  EXPECT_EQ(world_.decisions, Log{"web 1: n1"});
  begin(pod("big").req("cpu", "5"));
  EXPECT_EQ(world_.decisions, (Log{"web 1: n1", "big 1: no node"}));
  see(machine("n2", "8"));
  pass(1min);  // beyond the backoff
  EXPECT_EQ(world_.decisions, (Log{"web 1: n1", "big 1: no node", "big 2: n2"}));
}

TEST_F(Binding, TheRecorderForgetsPodsThatAreGoneOrPlacedByOthers) {
  begin(pod("big").req("cpu", "5"));
  EXPECT_EQ(world_.forgotten_pods, Log{});
  scheduler_.pod_deleted("uid-big");
  EXPECT_EQ(world_.forgotten_pods, Log{"uid-big"});
  begin();
  see(pod("web").req("cpu", "3").node("n1"));
  bound("web");
  EXPECT_EQ(world_.forgotten_pods, Log{"uid-big"}) << "it was placed here";
  begin(pod("other").req("cpu", "5"));
  see(pod("other").req("cpu", "5").node("n1"));
  EXPECT_EQ(world_.forgotten_pods, (Log{"uid-big", "uid-other"}));
}

// The end of its attempt is recorded after it was deleted. Nobody else would forget that.
TEST_F(Binding, TheRecorderForgetsAPodThatIsDeletedWhileItIsBound) {
  a_.waits = 1min;
  begin();
  scheduler_.pod_deleted("uid-web");
  EXPECT_EQ(world_.ends.size(), 1u);
  EXPECT_EQ(world_.forgotten_pods, (Log{"uid-web", "uid-web"}));

  a_.waits.reset();
  for (const auto end : {BindEnd::bound, BindEnd::rejected}) {
    world_.forgotten_pods.clear();
    begin();
    scheduler_.pod_deleted("uid-web");
    EXPECT_EQ(world_.forgotten_pods, Log{"uid-web"});
    scheduler_.binding_ended("uid-web", {end, "gone"});
    EXPECT_EQ(world_.forgotten_pods, (Log{"uid-web", "uid-web"}));
  }
}

// A nomination that was not sent yet is of no use once the pod is bound, or gone.
TEST_F(Binding, ANominationIsForgottenWhenItsPodLeavesTheCycle) {
  a_.waits = 1min;
  const auto allowed = [&] {
    scheduler_.waiting_pods().allow("uid-web", "A");
    scheduler_.step();
  };
  begin();
  EXPECT_EQ(world_.forgotten_nominations, Log{});
  allowed();
  bound("web");
  EXPECT_EQ(world_.forgotten_nominations, Log{"uid-web"});
  scheduler_.pod_deleted("uid-web");

  world_.forgotten_nominations.clear();
  begin();
  scheduler_.pod_deleted("uid-web");
  EXPECT_EQ(world_.forgotten_nominations, Log{"uid-web"});

  world_.forgotten_nominations.clear();
  a_.waits.reset();
  begin();
  bound("web");
  EXPECT_EQ(world_.forgotten_nominations, Log{}) << "nothing was nominated";
}

TEST_F(Binding, APodOnItsWayOutIsAnnouncedAsSkipped) {
  EXPECT_EQ(begin(pod("leaving").terminating()), Log{});
  EXPECT_EQ(world_.skips, Log{"leaving"});
  EXPECT_EQ(world_.decisions, Log{});
}

}  // namespace
}  // namespace podium::cycle
