// The life of a pod in the Scheduler: decided, assumed, bound or not, with the watch before or
// after the reply.
#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

// --- placing ---

TEST_F(SchedulerTest, CountsAPodBeforeItsBindingEnds) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  EXPECT_TRUE(scheduler_.step());
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
  EXPECT_EQ(scheduler_.bindings(), 1u);
  EXPECT_EQ(used_cpu("n1"), 3000);
  EXPECT_FALSE(waits("web"));

  see(pod("late").req("cpu", "2"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(take_log(), (Log{"decided web #1 n1", "decided late #1 no node",
                             "event late Unschedulable: 0/1 nodes are available: 1 Insufficient cpu"}));
}

TEST_F(SchedulerTest, BoundPodsAreAnnounced) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  end("web", BindEnd::bound);
  EXPECT_EQ(take_log(), (Log{"decided web #1 n1", "binding web n1 bound", "event web Scheduled n1"}));
  EXPECT_EQ(scheduler_.bindings(), 0u);
  EXPECT_EQ(place_of("web"), "n1");

  see(pod("web").req("cpu", "3").node("n1"));  // the watch shows the binding
  EXPECT_EQ(used_cpu("n1"), 3000);
  end("web", BindEnd::rejected, "reported twice");
  EXPECT_EQ(place_of("web"), "n1");
  EXPECT_EQ(take_log(), Log{});
}

TEST_F(SchedulerTest, ARejectedBindingIsRetriedAfterItsBackoff) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  end("web", BindEnd::rejected, "the server is on fire");
  EXPECT_EQ(take_log(), (Log{"decided web #1 n1", "binding web n1 not bound: the server is on fire",
                             "event web SchedulerError: the server is on fire"}));
  EXPECT_EQ(used_cpu("n1"), 0);
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.backoff = 1}));

  EXPECT_FALSE(scheduler_.step()) << "its backoff protects the API server";
  EXPECT_EQ(scheduler_.next_wakeup(), clock_.now() + 2s);  // a second, and the rest of the one that it ends
                                                           // in
  sleep_until_wakeup();
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, (Log{"web to n1", "web to n1"}));
  EXPECT_EQ(take_log(), Log{"decided web #2 n1"});
  EXPECT_EQ(used_cpu("n1"), 3000);
}

TEST_F(SchedulerTest, WhatARejectedBindingHeldIsFreeForOthers) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  see(pod("late").req("cpu", "2"));
  run();
  take_log();
  end("web", BindEnd::rejected, "no");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, (Log{"web to n1", "late to n1"}));
}

// Without the right to write nothing was sent, so nothing is announced about the pod.
TEST_F(SchedulerTest, APodWhoseBindingWasNotSentWaitsForItsNextTurnInSilence) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  end("web", BindEnd::not_sent, "no longer leading");
  EXPECT_EQ(take_log(), (Log{"decided web #1 n1", "withdrawn uid-web"})) << "its recorder keeps nothing";
  EXPECT_EQ(used_cpu("n1"), 0);
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.backoff = 1}));
  EXPECT_EQ(run(), 0);
  sleep_until_wakeup();
  EXPECT_EQ(run(), 1) << "this process leads all the same";
}

TEST_F(SchedulerTest, ABindingInDoubtKeepsItsRoomWhileOthersGoOn) {
  const auto most = Scheduler::kMaxBindings;
  see(machine("n1", "2000"));
  for (std::size_t i = 0; i < most + 2; ++i) see(pod(fmt::format("p{}", i)).req("cpu", "1"));
  EXPECT_EQ(run(), static_cast<int>(most));
  for (int again = 0; again < 2; ++again) scheduler_.binding_in_doubt("uid-p0");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(place_of("p0"), "n1");
  EXPECT_EQ(used_cpu("n1"), static_cast<std::int64_t>(most + 1) * 1000);
  EXPECT_EQ(scheduler_.bindings(), most + 1);
  end("p0", BindEnd::bound);
  EXPECT_EQ(run(), 0) << "it was counted once";
  end("p1", BindEnd::bound);
  EXPECT_EQ(run(), 1);
}

TEST_F(SchedulerTest, TooManyBindingsInDoubtHoldUpTheOthers) {
  const auto most = Scheduler::kMaxBindings + Scheduler::kMaxInDoubt;
  see(machine("n1", "10000").cap("pods", "10000"));
  for (std::size_t i = 0; i < most + 1; ++i) see(pod(fmt::format("p{}", i)).req("cpu", "1"));
  std::size_t decided = 0;
  while (const auto steps = run()) {
    for (int i = 0; i < steps; ++i) scheduler_.binding_in_doubt(fmt::format("uid-p{}", decided++));
  }
  EXPECT_EQ(decided, most);
}

// --- the watch and the binding's reply, in either order ---

TEST_F(SchedulerTest, WhatTheWatchSaysStandsWhateverTheReply) {
  for (const auto reply :
       {BindEnd::bound, BindEnd::elsewhere, BindEnd::rejected, BindEnd::not_sent, BindEnd::unknown}) {
    for (const std::string seen_on : {"n1", "n2"}) {
      SCOPED_TRACE(fmt::format("reply {} seen on {}", static_cast<int>(reply), seen_on));
      see(machine("n1"));
      see(machine("n2", "1"));  // too small: the cycle itself chooses n1
      see(pod("web").req("cpu", "3"));
      run();
      see(pod("web").req("cpu", "3").node(seen_on));
      end("web", reply);
      EXPECT_EQ(place_of("web"), seen_on);
      EXPECT_EQ(used_cpu("n1"), seen_on == "n1" ? 3000 : 0);
      EXPECT_EQ(used_cpu("n2"), seen_on == "n2" ? 3000 : 0);
      EXPECT_FALSE(waits("web"));
      EXPECT_EQ(scheduler_.bindings(), 0u);
      scheduler_.pod_deleted("uid-web");
    }
  }
}

// For example, the condition of an earlier attempt is written late.
TEST_F(SchedulerTest, WhatTheWatchSaysOfBeforeTheBindingIsNotANewPod) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  end("web", BindEnd::bound);
  see(pod("web").req("cpu", "3").condition("PodScheduled", "False", "Unschedulable"));
  EXPECT_FALSE(waits("web"));
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(place_of("web"), "n1");
  see(pod("web").req("cpu", "3").node("n1"));
  EXPECT_FALSE(waits("web"));
  EXPECT_EQ(binder_.asked.size(), 1u);
}

// The decision on the second pod counted the labels that the first one had then (4003803).
TEST_F(SchedulerTest, APodThatTheWatchShowsChangedOnItsNodeWakesThePodsThatItKeptOut) {
  see(machine("n1").label("kubernetes.io/hostname", "n1"));
  see(pod("web").label("app", "web"));
  ASSERT_EQ(run(), 1);
  see(pod("alone").anti_affinity(podium::test::term("kubernetes.io/hostname").label("app", "web")));
  ASSERT_EQ(run(), 1);
  see(pod("web").label("app", "db"));
  end("web", BindEnd::bound);
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.unschedulable = 1}));
  see(pod("web").label("app", "db").node("n1"));
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.backoff = 1}));
  sleep_until_wakeup();
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(place_of("alone"), "n1");
}

TEST_F(SchedulerTest, APodThatIsDeletedWhileItsBindingIsInFlightStaysGone) {
  for (const auto reply : {BindEnd::bound, BindEnd::elsewhere, BindEnd::rejected}) {
    SCOPED_TRACE(static_cast<int>(reply));
    see(machine("n1"));
    see(pod("web").req("cpu", "3"));
    run();
    scheduler_.pod_deleted("uid-web");
    EXPECT_EQ(used_cpu("n1"), 0) << "its room is free immediately";
    EXPECT_EQ(scheduler_.bindings(), 1u) << "but its binding is still in flight";
    end("web", reply);
    EXPECT_EQ(place_of("web"), "");
    EXPECT_FALSE(waits("web"));
    EXPECT_EQ(scheduler_.bindings(), 0u);
  }
}

TEST_F(SchedulerTest, APodThatTerminatesWhileItsBindingIsInFlightFreesItsRoom) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  see(pod("web").req("cpu", "3").terminating());
  EXPECT_EQ(used_cpu("n1"), 0);
  end("web", BindEnd::rejected, "being deleted");
  EXPECT_FALSE(waits("web"));
}

TEST_F(SchedulerTest, AnUpdateDuringTheBindingIsWhatIsRetried) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  see(pod("web").req("cpu", "3").node_selector("disk", "ssd"));
  EXPECT_EQ(place_of("web"), "n1") << "the assumption is what counts";
  end("web", BindEnd::rejected, "no");
  take_log();
  sleep_until_wakeup();
  run();
  EXPECT_EQ(take_log(),
            (Log{"decided web #2 no node",
                 "event web Unschedulable: 0/1 nodes are available: 1 node(s) didn't match Pod's node "
                 "affinity/selector"}));
}

// --- pods that are not to be scheduled ---

TEST_F(SchedulerTest, ATerminatingPodIsNeverScheduled) {
  see(machine("n1"));
  see(pod("web").terminating());
  run();
  EXPECT_EQ(binder_.asked, Log{});
  EXPECT_FALSE(waits("web"));
  EXPECT_EQ(take_log(), Log{"event web skipped"});
}

TEST_F(SchedulerTest, APodThatSomebodyElseBindsLeavesTheQueue) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  see(pod("web").req("cpu", "3").node("n1"));
  EXPECT_FALSE(scheduler_.step());
  EXPECT_FALSE(waits("web"));
  EXPECT_EQ(used_cpu("n1"), 3000);
  EXPECT_EQ(take_log(), Log{"forgotten uid-web"});
}

// etcd was restored to a state before its binding.
TEST_F(SchedulerTest, APodThatIsOnNoNodeAnyMoreIsScheduledAgain) {
  see(machine("n1"));
  see(pod("web").req("cpu", "4").node("n1"));
  see(pod("theirs").scheduler("another").node("n1"));
  see(pod("theirs").scheduler("another"));
  EXPECT_EQ(place_of("theirs"), "");
  see(pod("web").req("cpu", "4"));
  EXPECT_EQ(place_of("web"), "");
  EXPECT_EQ(used_cpu("n1"), 0);
  EXPECT_TRUE(scheduler_.step());
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
  see(pod("web").req("cpu", "4"));
  EXPECT_EQ(place_of("web"), "n1") << "the watch has not shown its binding yet";
}

TEST_F(SchedulerTest, PodsOfOtherSchedulersCountAndAreNotScheduled) {
  see(machine("n1"));
  see(pod("theirs").scheduler("another").req("cpu", "3"));
  EXPECT_FALSE(scheduler_.step());
  EXPECT_FALSE(waits("theirs"));
  see(pod("theirs").scheduler("another").req("cpu", "3").node("n1"));
  EXPECT_EQ(used_cpu("n1"), 3000);
  EXPECT_EQ(binder_.asked, Log{});
}

TEST_F(SchedulerTest, ATerminatedPodCountsNoMore) {
  see(machine("n1"));
  for (const std::string phase : {"Succeeded", "Failed"}) {
    see(pod("job").req("cpu", "3").node("n1"));
    EXPECT_EQ(used_cpu("n1"), 3000);
    see(pod("job").req("cpu", "3").node("n1").phase(phase));
    EXPECT_EQ(used_cpu("n1"), 0) << phase;
  }
}

TEST_F(SchedulerTest, AGatedPodWaitsForItsGates) {
  see(machine("n1"));
  see(pod("web").gate("example.com/quota"));
  EXPECT_EQ(take_log(), Log{}) << "a follower takes no step and tells nothing";
  EXPECT_FALSE(scheduler_.step());
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.gated = 1}));
  EXPECT_EQ(take_log(), Log{"gated web #0 by SchedulingGates"}) << "reported, and not announced";

  see(pod("web"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
}

TEST_F(SchedulerTest, AGatedPodTakesTheRoomThatItIsNominatedFor) {
  see(machine("n1"));
  see(pod("gated").req("cpu", "3").priority(5).nominated("n1").gate("g"));
  see(pod("lower").req("cpu", "2").priority(1));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{});
  see(pod("higher").req("cpu", "2").priority(9));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"higher to n1"});
}

TEST_F(SchedulerTest, APodThatIsGatedAgainHasItsAttempts) {
  see(machine("n1", "1"));
  see(pod("web").req("cpu", "2"));
  EXPECT_EQ(run(), 1);
  take_log();
  see(pod("web").req("cpu", "1").gate("g"));
  run();
  EXPECT_EQ(take_log(), Log{"gated web #1 by SchedulingGates"});
}

// --- what wakes a pod that did not fit ---

class Waking : public SchedulerTest {
 protected:
  // A pod of 3 CPUs that does not fit on n1 (4 CPUs, 2 in use); unschedulable once its backoff has ended.
  void SetUp() override {
    see(machine("n1"));
    see(pod("old").req("cpu", "2").node("n1"));
    see(pod("web").req("cpu", "3"));
    ASSERT_EQ(run(), 1);
    clock_.advance(10s);
    ASSERT_FALSE(scheduler_.step());
    ASSERT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.unschedulable = 1}));
    scheduler_.on_work([this] { ++wakes_; });
  }
  int wakes_ = 0;
};

TEST_F(Waking, ANodeThatArrives) {
  see(machine("n2"));
  EXPECT_GT(wakes_, 0);
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"web to n2"});
}

TEST_F(Waking, ANodeThatGrows) {
  see(machine("n1", "8"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
}

TEST_F(Waking, AnotherNodeUnderTheOldName) {
  see(machine("n1", "8").uid("uid-n1-again"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
  EXPECT_EQ(used_cpu("n1"), 5000) << "what runs there still counts";
}

TEST_F(Waking, ANodeThatComesBack) {
  scheduler_.node_deleted("n1");
  EXPECT_FALSE(scheduler_.snapshot().find_row("n1"));
  EXPECT_FALSE(scheduler_.step());
  see(machine("n1", "8"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
  EXPECT_EQ(used_cpu("n1"), 5000);
}

TEST_F(Waking, APlacedPodThatGoes) {
  scheduler_.pod_deleted("uid-old");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
}

TEST_F(Waking, APlacedPodThatIsOnNoNodeAnyMore) {
  see(pod("old").req("cpu", "2"));
  EXPECT_GT(wakes_, 0);
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
}

TEST_F(Waking, NothingThatCannotHelp) {
  see(machine("n1").label("disk", "ssd"));                         // no more CPU than before
  see(pod("old").req("cpu", "2").node("n1").label("app", "old"));  // nor does it use less
  see(machine("small", "1"));                                      // too small
  scheduler_.pod_deleted("uid-unknown");
  EXPECT_FALSE(scheduler_.step());
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.unschedulable = 1}));
}

// n1 has capacity for "web" without "old", but "chosen" is nominated there and not placed yet.
TEST_F(Waking, ANominationThatEnds) {
  const auto chosen = [] { return pod("chosen").priority(10).req("cpu", "4"); };
  for (const bool deleted : {false, true}) {
    SCOPED_TRACE(deleted);
    see(chosen().gate("g"));
    see(chosen().gate("g").nominated("n1"));
    scheduler_.pod_deleted("uid-old");
    EXPECT_EQ(run(), 1) << "in vain";
    clock_.advance(10s);
    ASSERT_EQ(run(), 0);
    if (deleted) {
      scheduler_.pod_deleted("uid-chosen");
    } else {
      see(chosen().gate("g"));
    }
    EXPECT_EQ(run(), 1);
    EXPECT_EQ(place_of("web"), "n1");
    scheduler_.pod_deleted("uid-web");
    end("web", BindEnd::rejected);
    see(pod("old").req("cpu", "2").node("n1"));
    see(pod("web").req("cpu", "3"));
    ASSERT_EQ(run(), 1);
    clock_.advance(10s);
    ASSERT_EQ(run(), 0);
  }
}

// The pod that the other waits for is placed by this scheduler; the watch or the reply may come first.
TEST_F(SchedulerTest, APodThatAnotherWaitedForWakesIt) {
  const auto near = podium::test::term("kubernetes.io/hostname").label("app", "db");
  for (const bool watch_first : {true, false}) {
    SCOPED_TRACE(watch_first);
    const std::string web = watch_first ? "web-1" : "web-2", db = watch_first ? "db-1" : "db-2";
    see(machine(web).label("pair", web));
    see(pod(web).node_selector("pair", web).affinity(near));
    EXPECT_EQ(run(), 1);
    clock_.advance(10s);
    ASSERT_TRUE(waits(web));

    see(pod(db).node_selector("pair", web).label("app", "db"));
    EXPECT_EQ(run(), 1) << "the one that waits is not tried for an assumption";
    if (!watch_first) end(db, BindEnd::bound);
    see(pod(db).node_selector("pair", web).label("app", "db").node(web));
    if (watch_first) end(db, BindEnd::bound);
    EXPECT_EQ(run(), 1);
    EXPECT_EQ(place_of(web), web);
    see(pod(db).node_selector("pair", web).label("app", "db").node(web));
    EXPECT_EQ(scheduler_.queue().counts(), queue::QueueCounts());
  }
}

TEST_F(SchedulerTest, WithoutAnyNodeAPodIsTriedAgain) {
  see(pod("web").req("cpu", "3"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(take_log(),
            (Log{"decided web #1 no node", "event web Unschedulable: no nodes available to schedule pods"}));
  see(machine("n1"));
  sleep_until_wakeup();
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
}

// --- bounds ---

TEST_F(SchedulerTest, ABackoffThatEndsAtTheBoundWakesNoPod) {
  see(machine("n1"));
  see(pod("again"));
  run();
  end("again", BindEnd::rejected, "no");
  for (std::size_t i = 0; i < Scheduler::kMaxBindings; ++i) see(pod(fmt::format("p{}", i)));
  EXPECT_EQ(run(), static_cast<int>(Scheduler::kMaxBindings));
  clock_.advance(10s);
  EXPECT_EQ(scheduler_.next_wakeup(), std::nullopt) << "a step would do nothing";
  end("p0", BindEnd::bound);
  EXPECT_LE(scheduler_.next_wakeup().value(), clock_.now());
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked.back(), "again to n1");
}

TEST_F(SchedulerTest, StopsAtTheBoundOfBindings) {
  see(machine("n1"));
  const auto name = [](std::size_t i) { return fmt::format("p{}", i); };
  for (std::size_t i = 0; i <= Scheduler::kMaxBindings; ++i) see(pod(name(i)));
  EXPECT_EQ(run(), static_cast<int>(Scheduler::kMaxBindings));
  EXPECT_EQ(scheduler_.bindings(), Scheduler::kMaxBindings);
  EXPECT_TRUE(waits(name(Scheduler::kMaxBindings)));

  int wakes = 0;
  scheduler_.on_work([&] { ++wakes; });
  end("p0", BindEnd::bound);
  EXPECT_GT(wakes, 0);
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked.back(), name(Scheduler::kMaxBindings) + " to n1");
}

}  // namespace
}  // namespace podium::cycle
