// Victims that are still in the binding cycle are requeued instead of deleted.
#include "unit/scheduler/cycle/lifecycle_fixture.h"

namespace podium::cycle {
namespace {

using lifecycle_test::Log;
using podium::test::pod;
using namespace std::chrono_literals;

const std::string kFound = "preemption: found a potential placement for pod on node n1, preempting 1 victims";

// n1 has 4 CPUs. "low" is assumed there with 3 and waits in PreBind for plugin A; "high" has
// a higher priority.
class WaitingVictims : public lifecycle_test::LifecycleTest {
 protected:
  void low_waits() {
    see(machine("n1"));
    a_.pre_binds = true;
    a_.ready_timeout = 1min;
    see(pod("low").priority(1).req("cpu", "3"));
    ASSERT_EQ(run(), 1);
    take();
  }
  void high_comes(std::string_view cpu = "4") {
    see(pod("high").priority(100).req("cpu", cpu));
    scheduler_.step();
  }
  // The log without the lines of the plugins.
  Log take() {
    std::erase_if(log_, [](const auto& line) { return line.starts_with("A ") || line.starts_with("B "); });
    return take_log();
  }
};

TEST_F(WaitingVictims, OneThatWaitsForItsVolumes) {
  low_waits();
  high_comes();
  EXPECT_EQ(take(), (Log{"nominate low to ",
                         "SchedulerError low: running PreBind plugin \"A\": preempted by DefaultPreemption",
                         "preempted low by high on n1 in memory",
                         "Unschedulable high: 0/1 nodes are available: 1 Insufficient cpu. " + kFound,
                         "make room for high on n1:"}));
  EXPECT_FALSE(is_placed("low"));
  scheduler_.preemption_ended(world_.orders.at(0), {});
  run();
  EXPECT_TRUE(is_placed("high"));
  EXPECT_EQ(scheduler_.preemptions(), 0u);
}

TEST_F(WaitingVictims, OneThatWaitsForAPermit) {
  see(machine("n1"));
  a_.waits = 1min;
  see(pod("low").priority(1).req("cpu", "3"));
  run();
  take();
  a_.waits.reset();
  high_comes();
  EXPECT_EQ(take(), (Log{"nominate low to ", "SchedulerError low: waiting on permit for pod: preempted",
                         "preempted low by high on n1 in memory",
                         "Unschedulable high: 0/1 nodes are available: 1 Insufficient cpu. " + kFound,
                         "make room for high on n1:"}));
}

// The preemptor is not held: it is retried as soon as the capacity is free.
TEST_F(WaitingVictims, ThePreemptorWaitsForNoRequest) {
  low_waits();
  high_comes();
  run();
  EXPECT_TRUE(is_placed("high"));
}

TEST_F(WaitingVictims, LessImportantPodsLoseTheirNominationAllTheSame) {
  low_waits();
  see(pod("other").priority(5).req("cpu", "1").gate("not-yet"));
  see(pod("other").priority(5).req("cpu", "1").nominated("n1").gate("not-yet"));
  high_comes();
  EXPECT_EQ(take().back(), "make room for high on n1: -other");
}

TEST_F(WaitingVictims, NextToOneThatHasToBeDeleted) {
  low_waits();
  see(pod("runs").priority(1).req("cpu", "1").node("n1"));
  high_comes();
  EXPECT_EQ(take().back(), "make room for high on n1: runs");
  run();
  EXPECT_FALSE(is_placed("high")) << "held until it is on its way out";
}

TEST_F(WaitingVictims, ASecondPreemptorDeletesNoPodThatTerminatesAlready) {
  a_.writes = {"x"};
  low_waits();
  high_comes();
  EXPECT_TRUE(is_placed("low")) << "its write is in flight";
  take();
  see(pod("higher").priority(200).req("cpu", "4"));
  scheduler_.step();
  EXPECT_EQ(take(), (Log{"preempted low by higher on n1 in memory",
                         "Unschedulable higher: 0/1 nodes are available: 1 Insufficient cpu. " + kFound,
                         "make room for higher on n1:"}));
  wrote("low");
  EXPECT_FALSE(is_placed("low"));
}

// No delete event of the API server says that it leaves. Upstream activates the preemptor.
TEST_F(WaitingVictims, OneWhoseWriteIsInFlightActivatesThePreemptorAsItLeaves) {
  a_.writes = {"x"};
  low_waits();
  high_comes();
  scheduler_.preemption_ended(world_.orders.at(0), {});
  EXPECT_EQ(scheduler_.queue().counts().active, 0u);
  wrote("low");
  EXPECT_FALSE(is_placed("low"));
  EXPECT_EQ(scheduler_.queue().counts().active, 1u) << "high, although its backoff is not over";
  EXPECT_EQ(scheduler_.queue().counts().backoff, 1u) << "low";
  run();
  EXPECT_TRUE(is_placed("high"));
}

// The leader before bound it.
TEST_F(WaitingVictims, OneThatIsShownOnANodeWhileItsWriteIsInFlightIsDeleted) {
  a_.writes = {"x"};
  low_waits();
  see(pod("low").priority(1).req("cpu", "3").node("n1"));
  high_comes();
  EXPECT_EQ(take().back(), "make room for high on n1: low");
}

// "low" is being bound when it is evicted. Its binding ends before the watch tells of its deletion.
class BoundVictims : public WaitingVictims {
 protected:
  void binding_finds_it_gone() {
    see(machine("n1"));
    see(pod("low").priority(1).req("cpu", "3"));
    run();
    high_comes();
    EXPECT_EQ(take().back(), "make room for high on n1: low");
    scheduler_.binding_ended("uid-low", {BindEnd::elsewhere, "the pod is gone"});
    run();
    EXPECT_FALSE(is_placed("high")) << "held";
  }
};

TEST_F(BoundVictims, ItsDeletionWakesThePreemptor) {
  binding_finds_it_gone();
  int wakes = 0;
  scheduler_.on_work([&] { ++wakes; });
  scheduler_.pod_deleted("uid-low");
  EXPECT_GT(wakes, 0);
  run();
  EXPECT_TRUE(is_placed("high"));
}

TEST_F(BoundVictims, TheEndOfItsEvictionWakesThePreemptor) {
  binding_finds_it_gone();
  scheduler_.preemption_ended(world_.orders.at(0), {});
  run();
  EXPECT_TRUE(is_placed("high"));
}

}  // namespace
}  // namespace podium::cycle
