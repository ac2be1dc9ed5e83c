// The end of a nomination wakes pods of no higher priority, as if the nominated pod had left the node.
#include <algorithm>

#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

// "vip" is nominated to 3 of the 4 CPUs of n1 and is not ready yet; "equal" and "urgent" do not
// fit next to it.
class Nominations : public SchedulerTest {
 protected:
  void SetUp() override {
    see(machine("n1"));
    see(vip());
    see(vip().nominated("n1"));
    see(pod("equal").priority(100).req("cpu", "2"));
    see(pod("urgent").priority(200).req("cpu", "5"));
    ASSERT_EQ(run(), 2);
    ASSERT_EQ(binder_.asked, Log{});
    clock_.advance(1min);
  }
  static podium::test::PodBuilder vip() { return pod("vip").priority(100).req("cpu", "3").gate("not-yet"); }
};

TEST_F(Nominations, APodThatIsNoLongerNominatedMakesRoomForThoseThatAreNotMoreImportant) {
  see(vip().resource_version("2"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"equal to n1"});
}

// Source: scheduling_queue.go addPod.
TEST_F(Nominations, APodThatComesWithGatesTakesRoomFromThePodsThatAreNotMoreImportant) {
  see(machine("n2"));
  ASSERT_EQ(run(), 1);
  ASSERT_EQ(binder_.asked, Log{"equal to n2"});
  see(pod("late").priority(300).req("cpu", "2").gate("not-yet").nominated("n2"));
  see(pod("low").priority(1).req("cpu", "2"));
  run();
  EXPECT_EQ(binder_.asked, Log{"equal to n2"});
  scheduler_.pod_deleted("uid-late");
  clock_.advance(1min);
  run();
  EXPECT_EQ(binder_.asked, (Log{"equal to n2", "low to n2"}));
}

TEST_F(Nominations, APodThatIsNominatedElsewhereDoes) {
  see(vip().resource_version("2").nominated("n2"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"equal to n1"});
}

TEST_F(Nominations, APodThatIsDeletedDoes) {
  scheduler_.pod_deleted("uid-vip");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"equal to n1"});
}

// It was rejected because of other nominations, and may fit elsewhere without its own.
TEST_F(Nominations, ThePodItselfIsTriedAgainToo) {
  const auto own = [] { return pod("own").priority(300).req("cpu", "6"); };
  for (const std::string next : {"", "n2"}) {
    SCOPED_TRACE(next);
    see(own().nominated("n1"));
    ASSERT_EQ(run(), 1);
    clock_.advance(1min);
    take_log();
    see(own().resource_version("2").nominated(next));
    run();
    const auto log = take_log();
    EXPECT_EQ(std::ranges::count(log, "decided own #2 no node"), 1);
    scheduler_.pod_deleted("uid-own");
    run();
    clock_.advance(1min);
  }
}

TEST_F(Nominations, ANominationThatBeginsWakesNoPod) {
  see(pod("plain").priority(100).gate("not-yet"));
  see(pod("plain").priority(100).gate("not-yet").resource_version("2").nominated("n1"));
  EXPECT_EQ(run(), 0);
}

TEST_F(Nominations, AnyOtherChangeOfItWakesNoPod) {
  see(vip().resource_version("2").nominated("n1").label("a", "b"));
  EXPECT_EQ(run(), 0);
}

TEST_F(Nominations, APodWithoutOneThatGoesWakesNoPod) {
  see(pod("plain").priority(100).gate("not-yet"));
  scheduler_.pod_deleted("uid-plain");
  EXPECT_EQ(run(), 0);
}

}  // namespace
}  // namespace podium::cycle
