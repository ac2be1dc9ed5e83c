// A preemptor is nominated, held while its victims are evicted, and placed once they are gone.
#include <algorithm>

#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

// n1 (4 CPUs) runs "low" (3 CPUs); "high" requests 2 and has a higher priority.
class Preempting : public SchedulerTest {
 protected:
  void SetUp() override {
    see(machine("n1"));
    see(low());
    see(high());
    ASSERT_EQ(run(), 1);
    ASSERT_EQ(preemptor_.asked, Log{"high on n1: low"});
    take_log();
  }
  static podium::test::PodBuilder low() { return pod("low").priority(1).req("cpu", "3").node("n1"); }
  static podium::test::PodBuilder high() { return pod("high").priority(100).req("cpu", "2"); }
  void end(std::size_t order, Log evicted, std::string error = "") {
    PreemptionOutcome outcome{.error = std::move(error)};
    for (const auto& victim : preemptor_.orders.at(order).victims) {
      if (std::ranges::find(evicted, (*victim)->meta.name) != evicted.end())
        outcome.evicted.push_back(victim);
    }
    scheduler_.preemption_ended(preemptor_.orders.at(order), outcome);
  }
  std::string nominated_to(const std::string& name) {
    for (const auto& nomination : scheduler_.snapshot().nominations()) {
      if ((*nomination.pod)->meta.name == name) return nomination.node;
    }
    return "";
  }
};

TEST_F(Preempting, VictimsGoAndThePodIsPlaced) {
  EXPECT_EQ(nominated_to("high"), "n1");
  EXPECT_EQ(announcer_.nominations["high"], "n1");
  end(0, {"low"});
  EXPECT_EQ(take_log(), Log{"event low Preempted by high on n1"});
  see(low().terminating());
  EXPECT_EQ(run(), 0) << "it is still there";
  scheduler_.pod_deleted("uid-low");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"high to n1"});
  EXPECT_EQ(nominated_to("high"), "");
}

TEST_F(Preempting, TheWatchMayComeBeforeTheReply) {
  scheduler_.pod_deleted("uid-low");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"high to n1"});
  end(0, {"low"});
  EXPECT_EQ(scheduler_.preemptions(), 0u);
  EXPECT_EQ(run(), 0);
}

TEST_F(Preempting, WhileVictimsAreEvictedThePodIsNotTried) {
  see(machine("n2"));  // it would fit there
  EXPECT_EQ(run(), 0);
  clock_.advance(10min);
  EXPECT_EQ(run(), 0) << "not even when it has waited for long";
  end(0, {"low"});
  EXPECT_EQ(run(), 0) << "events that it slept through are not made up for";
  see(machine("n3"));
  EXPECT_EQ(run(), 1);
}

TEST_F(Preempting, AFailureIsTriedAgainAfterABackoff) {
  end(0, {}, "forbidden");
  EXPECT_EQ(run(), 0);
  sleep_until_wakeup();
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(preemptor_.asked, (Log{"high on n1: low", "high on n1: low"}));
}

// Other events and slow requests do not change that.
TEST_F(Preempting, FailuresThatGoOnAreTriedAtGrowingIntervals) {
  const auto began = clock_.now();
  std::vector<std::chrono::seconds> tries;
  for (std::size_t failed = 0; clock_.now() - began < 60s;) {
    for (; failed < preemptor_.orders.size(); ++failed) {
      tries.push_back(std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - began));
      clock_.advance(100ms);
      end(failed, {}, "forbidden");
    }
    run();
    clock_.advance(100ms);
  }
  EXPECT_GE(tries.size(), 6u);
  EXPECT_LE(tries.size(), 10u) << "1, 2, 4, 8 and then 10 seconds apart, and up to one more each";
}

TEST_F(Preempting, TheNominationOutlivesUpdatesThatDoNotKnowOfIt) {
  see(high().label("team", "a"));
  EXPECT_EQ(nominated_to("high"), "n1");
  see(high().nominated("n1"));  // the status has it
  EXPECT_EQ(nominated_to("high"), "n1");
  see(high());  // and another client cleared it
  EXPECT_EQ(nominated_to("high"), "");
}

TEST_F(Preempting, RoomIsKeptForIt) {
  end(0, {"low"});
  see(pod("late").priority(50).req("cpu", "3"));
  see(low().terminating());
  scheduler_.pod_deleted("uid-low");
  run();
  EXPECT_EQ(binder_.asked, Log{"high to n1"});
}

TEST_F(Preempting, WhenItIsGoneNothingIsKept) {
  scheduler_.pod_deleted("uid-high");
  EXPECT_EQ(nominated_to("high"), "");
  end(0, {"low"});
  EXPECT_EQ(run(), 0);
}

// The watch has not shown its nomination, and never will.
TEST_F(Preempting, WhenItIsGoneThoseThatItKeptOutAreTried) {
  see(pod("late").priority(1).req("cpu", "1"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{});
  clock_.advance(1min);
  scheduler_.pod_deleted("uid-high");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"late to n1"});
}

// The request for its nomination was lost.
TEST_F(Preempting, WhenItsNominationIsWithdrawnThoseThatItKeptOutAreTried) {
  see(machine("n1").taint("dedicated", "", "NoSchedule"));
  end(0, {"low"});
  scheduler_.pod_deleted("uid-low");
  see(pod("late").priority(1).req("cpu", "3").tolerate_exists("dedicated"));
  EXPECT_EQ(run(), 3) << "late, high, late";
  EXPECT_EQ(nominated_to("high"), "");
  EXPECT_EQ(binder_.asked, Log{"late to n1"});
  clock_.advance(1min);
  EXPECT_EQ(run(), 0) << "nobody is woken any more";
}

TEST_F(Preempting, ALessImportantPodLosesItsNomination) {
  see(machine("n2"));
  see(pod("rock").priority(1000).req("cpu", "1").node("n2"));
  see(pod("v").priority(1).req("cpu", "3").node("n2"));
  see(pod("middle").priority(50).req("cpu", "4").nominated("n2"));
  see(pod("first").priority(500).req("cpu", "3").node_selector("kubernetes.io/hostname", "n2"));
  run();
  EXPECT_EQ(preemptor_.asked.back(), "first on n2: v -middle");
}

TEST_F(Preempting, ItIsTheFirstToBeAskedAbout) {
  scheduler_.pod_deleted("uid-low");
  see(machine("n2", "64"));  // would be better
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"high to n1"});
}

TEST_F(Preempting, ASecondVictimIsNotLookedForWhileTheFirstGoes) {
  for (const bool in_status : {false, true}) {  // whether the status already has the nomination
    SCOPED_TRACE(in_status);
    if (in_status) see(high().nominated("n1"));
    end(0, {"low"});
    see(low().terminating().condition("DisruptionTarget", "True", "PreemptionByScheduler"));
    see(machine("n2", "1"));
    see(pod("small").priority(1).req("cpu", "1").node("n2"));
    see(machine("n2", "2"));  // wakes it
    EXPECT_GE(run(), 1);
    EXPECT_EQ(preemptor_.asked.size(), 1u);
    EXPECT_EQ(announcer_.nominations["high"], "as it was");
    scheduler_.node_deleted("n2");
    scheduler_.pod_deleted("uid-small");
  }
}

TEST_F(SchedulerTest, ANominationThatIsOfNoUseIsWithdrawn) {
  see(machine("n1"));
  see(pod("web").req("cpu", "5").nominated("n1"));
  run();
  EXPECT_EQ(announcer_.nominations["web"], "");
  EXPECT_EQ(scheduler_.snapshot().nominations().size(), 0u);
}

TEST_F(SchedulerTest, VictimsThatAreOnTheirWayOutNeedNoEviction) {
  see(machine("n1"));
  see(pod("low").priority(1).req("cpu", "3").node("n1").terminating());
  see(pod("high").priority(100).req("cpu", "2"));
  run();
  EXPECT_EQ(preemptor_.asked, Log{});
  EXPECT_EQ(announcer_.nominations["high"], "n1");
  scheduler_.pod_deleted("uid-low");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"high to n1"});
}

// Evictions may be slow, and each order keeps its victims.
class SharedPreemptions : public SchedulerTest {
 protected:
  // Pods of a namespace that each need a victim on a node of their own.
  void want_preemptions(const std::string& ns, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto node = fmt::format("{}-{}", ns, i);
      see(machine(node));
      see(pod("low-" + node).ns(ns).priority(1).req("cpu", "3").node(node));
      see(pod("high-" + node)
              .ns(ns)
              .priority(100)
              .req("cpu", "2")
              .node_selector("kubernetes.io/hostname", node));
    }
  }
  std::size_t in_flight(const std::string& ns) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        preemptor_.orders, [&](const auto& order) { return (*order.preemptor)->meta.namespace_ == ns; }));
  }
  static constexpr auto kBounds = Scheduler::kPreemptions;
};

TEST_F(SharedPreemptions, AGreedyNamespaceLeavesTheOthersTheirs) {
  want_preemptions("greedy", kBounds.of_one + 20);
  run();
  EXPECT_EQ(in_flight("greedy"), kBounds.of_one);
  want_preemptions("modest", 3);
  see(machine("room"));
  see(pod("fits").ns("greedy").req("cpu", "4").node_selector("kubernetes.io/hostname", "room"));
  run();
  EXPECT_EQ(in_flight("modest"), 3u);
  EXPECT_EQ(binder_.asked, Log{"fits to room"}) << "pods of the greedy one that need no victim go on";

  const auto first = preemptor_.orders.front();
  scheduler_.preemption_ended(first, {.evicted = first.victims});
  EXPECT_EQ(in_flight("greedy"), kBounds.of_one) << "after a backoff";
  sleep_until_wakeup();
  run();
  EXPECT_EQ(in_flight("greedy"), kBounds.of_one + 1) << "the next one's turn";
  EXPECT_EQ(scheduler_.preemptions(), kBounds.of_one + 3);
}

TEST_F(SharedPreemptions, OneThatWaitsSaysSoAndIsNotNominated) {
  want_preemptions("greedy", kBounds.of_one + 1);
  take_log();
  run();
  EXPECT_EQ(std::ranges::count(announcer_.nominations, "as it was",
                               &std::pair<const std::string, std::string>::second),
            1);
  EXPECT_EQ(scheduler_.snapshot().nominations().size(), kBounds.of_one);
}

TEST_F(SharedPreemptions, WhoHasNoneGetsOneWhateverTheGreedyOnesHold) {
  const auto greedy = kBounds.in_all / kBounds.of_one + 1;
  for (std::size_t i = 0; i < greedy; ++i) want_preemptions(fmt::format("greedy{}", i), kBounds.of_one);
  run();
  EXPECT_EQ(scheduler_.preemptions(), kBounds.in_all + 1) << "and one of the reserve";
  want_preemptions("modest", 2);
  run();
  EXPECT_EQ(in_flight("modest"), 1u);
  EXPECT_EQ(scheduler_.preemptions(), kBounds.in_all + 2);
}

}  // namespace
}  // namespace podium::cycle
