// BindingCycle from the decision to the binding: every stage at which a plugin may delay or reject a pod.
#include "scheduler/cycle/binding_cycle.h"

#include "unit/scheduler/cycle/binding_fixture.h"

namespace podium::cycle {
namespace {

using framework::Progress;

TEST_F(Binding, GoesThroughAllPointsInOrder) {
  EXPECT_EQ(begin(), begun() + Log{"bind web to n1"});
  bound("web");
  EXPECT_EQ(take_log(), (Log{"scheduled web on n1", "A post_bind web on n1", "B post_bind web on n1"}));
  EXPECT_EQ(world_.ends, Log{"web bound"});
  EXPECT_EQ(scheduler_.bindings(), 0u);
}

// --- Reserve ---

TEST_F(Binding, AReserveThatFailsIsUnwoundInReverse) {
  struct Case {
    const char* name;
    Code code;
    Log announced;
    std::string rejected_by;
  };
  const Case cases[] = {
      {"rejects", Code::unschedulable, {"Unschedulable web: 0/1 nodes are available: 1 no room."}, "B"},
      {"rejects for good",
       Code::unschedulable_and_unresolvable,
       {"Unschedulable web: 0/1 nodes are available: 1 no room."},
       "B"},
      {"fails", Code::error, {"SchedulerError web: running Reserve plugin \"B\": no room"}, ""},
  };
  a_.has_state = true;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    b_.reserve_fails = no("no room", c.code);
    EXPECT_EQ(begin(), (Log{"A reserve web on n1", "B reserve web on n1", "B unreserve web on n1",
                            "A unreserve with state web on n1"}) +
                           c.announced);
    EXPECT_FALSE(is_placed("web"));
    EXPECT_EQ(rejected_by("web"), c.rejected_by);
    scheduler_.pod_deleted("uid-web");
  }
}

TEST_F(Binding, AFailedBindIsUnwoundToo) {
  begin();
  scheduler_.binding_ended("uid-web", {BindEnd::rejected, "binding rejected"});
  EXPECT_EQ(take_log(),
            (Log{"B unreserve web on n1", "A unreserve web on n1", "SchedulerError web: binding rejected"}));
  EXPECT_FALSE(is_placed("web"));
}

TEST_F(Binding, APodThatTurnsOutToBeElsewhereIsUnwoundAndNotTriedAgain) {
  begin();
  scheduler_.binding_ended("uid-web", {BindEnd::elsewhere, "it is on n2"});
  EXPECT_EQ(take_log(), (Log{"B unreserve web on n1", "A unreserve web on n1"}));
  EXPECT_EQ(rejected_by("web"), "-");
}

// --- Permit ---

TEST_F(Binding, APermitThatIsDeniedTurnsThePodDown) {
  struct Case {
    const char* name;
    Code code;
    std::string announced, rejected_by;
  };
  const Case cases[] = {
      {"denied", Code::unschedulable, "Unschedulable web: 0/1 nodes are available: 1 not now.", "A"},
      {"failed", Code::error, "SchedulerError web: running Permit plugin \"A\": not now", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    a_.denies = no("not now", c.code);
    EXPECT_EQ(begin(), (Log{"A reserve web on n1", "B reserve web on n1", "A permit web on n1",
                            "B unreserve web on n1", "A unreserve web on n1", c.announced}))
        << "B is not asked";
    EXPECT_EQ(rejected_by("web"), c.rejected_by);
    scheduler_.pod_deleted("uid-web");
  }
}

TEST_F(Binding, WithItsGateOffNothingIsNominated) {
  auto config = with(a_, b_);
  config.features.nominated_node_name_for_expectation = false;
  Scheduler silent{parts(config)};
  silent.node_added_or_updated(machine("n1").ptr());
  a_.waits = 1min;
  silent.pod_added_or_updated(info(podium::test::pod("web")));
  EXPECT_TRUE(silent.step());
  EXPECT_EQ(silent.waiting_pods().pending_plugins("uid-web"), std::vector<std::string>{"A"});
  for (const auto& line : take_log()) EXPECT_FALSE(line.starts_with("nominate")) << line;
}

TEST_F(Binding, APodWaitsForEveryPluginThatAsksForIt) {
  a_.waits = 1min;
  b_.waits = 2min;
  EXPECT_EQ(begin(), begun() + Log{"nominate web to n1"});
  EXPECT_TRUE(is_placed("web"));
  auto& handle = scheduler_.waiting_pods();
  EXPECT_EQ(handle.pending_plugins("uid-web"), (Log{"A", "B"}));
  handle.allow("uid-web", "nobody");
  handle.allow("uid-web", "A");
  EXPECT_EQ(handle.pending_plugins("uid-web"), Log{"B"});
  pass(90s);  // A's timeout has passed, but A has allowed the pod
  EXPECT_EQ(take_log(), Log{});
  handle.allow("uid-web", "B");
  EXPECT_FALSE(handle.reject("uid-web", "B", "on second thoughts"));
  EXPECT_EQ(take_log(), Log{}) << "nothing moves before the caller has returned";
  scheduler_.step();
  EXPECT_EQ(take_log(), Log{"bind web to n1"});
  EXPECT_EQ(handle.pending_plugins("uid-web"), Log{});
  EXPECT_FALSE(handle.reject("uid-web", "A", "too late"));
}

TEST_F(Binding, APermitThatIsGivenAtTheLastMomentCounts) {
  a_.waits = 1min;
  begin();
  clock_.advance(1min);
  scheduler_.waiting_pods().allow("uid-web", "A");
  scheduler_.step();
  EXPECT_EQ(take_log(), Log{"bind web to n1"});
  EXPECT_FALSE(scheduler_.next_wakeup());
}

TEST_F(Binding, AWaitingPodIsRejectedByAPlugin) {
  a_.waits = 1min;
  begin();
  int wakes = 0;
  scheduler_.on_work([&] { ++wakes; });
  EXPECT_TRUE(scheduler_.waiting_pods().reject("uid-web", "A", "its gang is not complete"));
  EXPECT_FALSE(scheduler_.waiting_pods().reject("uid-web", "A", "reported twice"));
  EXPECT_GT(wakes, 0);
  scheduler_.step();
  EXPECT_EQ(take_log(), (Log{"B unreserve web on n1", "A unreserve web on n1", "nominate web to ",
                             "Unschedulable web: 0/1 nodes are available: 1 its gang is not complete."}));
  EXPECT_FALSE(is_placed("web"));
  EXPECT_EQ(rejected_by("web"), "A");
}

TEST_F(Binding, APermitTimesOut) {
  struct Case {
    const char* name;
    std::chrono::milliseconds a, b, wakeup;
    std::string text, by;
  };
  const Case cases[] = {
      {"the shorter one", 90s, 10s, 10s, "after waiting 10s at plugin B", "B"},
      {"one at most", 1h, 1h, 15min, "after waiting 15m0s at plugin A", "A"},
      {"hardly any", 1ms, 1h, 1ms, "after waiting 1ms at plugin A", "A"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    a_.waits = c.a;
    b_.waits = c.b;
    begin();
    EXPECT_EQ(scheduler_.next_wakeup(), clock_.now() + c.wakeup);
    pass(c.wakeup - 1ms);
    EXPECT_EQ(take_log(), Log{});
    clock_.advance(1ms);
    scheduler_.step();
    EXPECT_EQ(
        log_.back(),
        fmt::format("Unschedulable web: 0/1 nodes are available: 1 rejected due to timeout {}.", c.text));
    EXPECT_EQ(rejected_by("web"), c.by);
    scheduler_.pod_deleted("uid-web");
    take_log();
  }
}

TEST_F(Binding, APluginAllowsTheRestOfItsGangFromItsPermit) {
  a_.on_permit = [&](framework::Handle& handle, const framework::AssumedPod& pod) {
    Log others;
    handle.each_waiting_pod(
        [&](const framework::AssumedPod& other) { others.push_back((*other.pod)->meta.name); });
    if (others.size() < 2) return;
    a_.waits.reset();
    for (const auto& other : others) handle.allow("uid-" + other, "A");
    EXPECT_EQ((*pod.pod)->meta.name, "c");
  };
  a_.waits = 1min;
  for (const char* name : {"a", "b", "c"}) see(pod(name));
  EXPECT_EQ(run(), 3);
  std::erase_if(log_, [](const auto& line) { return !line.starts_with("bind"); });
  std::ranges::sort(log_);
  EXPECT_EQ(take_log(), (Log{"bind a to n1", "bind b to n1", "bind c to n1"}));
}

TEST_F(Binding, APluginRejectsTheRestOfItsGangFromItsUnreserve) {
  a_.waits = 1min;
  a_.on_unreserve = [](framework::Handle& handle, const framework::AssumedPod&) {
    Log others;
    handle.each_waiting_pod(
        [&](const framework::AssumedPod& other) { others.push_back((*other.pod)->meta.uid); });
    for (const auto& uid : others) handle.reject(uid, "A", "another of the gang was rejected");
  };
  for (const char* name : {"a", "b", "c"}) see(pod(name));
  EXPECT_EQ(run(), 3);
  scheduler_.waiting_pods().reject("uid-b", "A", "go away");
  run();
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(rejected_by(name), "A") << name;
  EXPECT_EQ(scheduler_.bindings(), 0u);
}

TEST_F(Binding, ADeletedPodWaitsNoLonger) {
  struct Case {
    const char* name;
    std::function<void()> leave;
    bool placed;
  };
  const Case cases[] = {
      {"deleted", [&] { scheduler_.pod_deleted("uid-web"); }, false},
      {"on its way out", [&] { see(pod("web").req("cpu", "3").terminating()); }, false},
      {"placed by somebody else", [&] { see(pod("web").req("cpu", "3").node("n1")); }, true},
  };
  for (const bool permitting : {true, false}) {
    for (const auto& c : cases) {
      SCOPED_TRACE(fmt::format("{} permitting={}", c.name, permitting));
      a_.waits = permitting ? std::optional<std::chrono::milliseconds>(1min) : std::nullopt;
      a_.pre_binds = !permitting;
      a_.ready_timeout = 1min;
      begin();
      EXPECT_EQ(scheduler_.bindings(), 1u);
      c.leave();
      EXPECT_EQ(take_log(), (Log{"B unreserve web on n1", "A unreserve web on n1"}));
      EXPECT_EQ(scheduler_.bindings(), 0u);
      EXPECT_EQ(is_placed("web"), c.placed);
      EXPECT_EQ(rejected_by("web"), "-");
      EXPECT_EQ(scheduler_.queue().counts().in_flight, 0u);
      EXPECT_FALSE(scheduler_.next_wakeup());
      scheduler_.pod_deleted("uid-web");
      take_log();
    }
  }
}

// Events during the wait count when the pod is requeued; its own forget and its own nomination do not.
TEST_F(Binding, ARejectedPodIsTriedAgainWhenSomethingHelps) {
  a_.given_hints = {{framework::EventResource::persistent_volume, framework::kAdd, nullptr},
                    {framework::EventResource::assigned_pod, framework::kDelete, nullptr},
                    {framework::EventResource::target_pod, framework::kUpdate, nullptr}};
  for (const bool in_between : {false, true}) {
    SCOPED_TRACE(in_between);
    a_.waits = 1min;
    begin();
    see(pod("web").req("cpu", "3").nominated("n1"));  // what the cycle itself has written
    if (in_between) something_happens();
    scheduler_.waiting_pods().reject("uid-web", "A", "no");
    scheduler_.step();
    EXPECT_EQ(scheduler_.queue().counts().unschedulable, in_between ? 0u : 1u);
    EXPECT_EQ(scheduler_.bindings(), in_between ? 1u : 0u) << "on its way once more";
    scheduler_.pod_deleted("uid-web");
    take_log();
  }
}

TEST_F(Binding, WhatARejectedPodHeldIsFreeForOthers) {
  a_.waits = 1min;
  begin();
  see(pod("late").req("cpu", "2"));
  run();
  ASSERT_EQ(rejected_by("late"), "NodeResourcesFit");
  a_.waits.reset();
  clock_.advance(20s);
  scheduler_.waiting_pods().reject("uid-web", "A", "no");
  take_log();
  run();
  EXPECT_EQ(log_.back(), "bind late to n1");
}

// --- PreBind ---

TEST_F(Binding, PreBindPluginsWriteInOrderAndThenWait) {
  a_.pre_binds = b_.pre_binds = true;
  a_.writes = {"a0", "a1"};
  b_.ready_timeout = 1min;
  EXPECT_EQ(begin(), begun() + (Log{"nominate web to n1", "A pre_bind web on n1", "write a0 for uid-web"}));
  EXPECT_EQ(scheduler_.queue().counts().in_flight, 0u);
  wrote("web");
  EXPECT_EQ(take_log(), (Log{"A written 0 web on n1", "write a1 for uid-web"}));
  wrote("web");
  EXPECT_EQ(take_log(), (Log{"A written 1 web on n1", "B pre_bind web on n1"}));
  EXPECT_EQ(std::pair(a_.pre_bounds, b_.pre_bounds), std::pair(1, 0));
  something_happens();
  EXPECT_EQ(take_log(), Log{}) << "not ready yet";
  b_.progress = Progress::ready();
  see(machine("n2"));
  EXPECT_EQ(take_log(), Log{}) << "B is not asked about events that do not concern it";
  something_happens();
  EXPECT_EQ(take_log(), Log{"bind web to n1"});
  EXPECT_EQ(std::pair(a_.pre_bounds, b_.pre_bounds), std::pair(1, 1));
  EXPECT_FALSE(scheduler_.next_wakeup());
}

TEST_F(Binding, WhatIsReadyImmediatelyDoesNotWait) {
  a_.pre_binds = true;
  a_.ready_timeout = 1min;
  a_.progress = Progress::ready();
  EXPECT_EQ(begin(), begun() + (Log{"nominate web to n1", "A pre_bind web on n1", "bind web to n1"}));
}

TEST_F(Binding, APodThatIsNominatedAlreadyIsNotWrittenAgain) {
  a_.pre_binds = true;
  EXPECT_EQ(begin(pod("web").nominated("n1")), begun() + (Log{"A pre_bind web on n1", "bind web to n1"}));
}

TEST_F(Binding, PreBindFails) {
  struct Case {
    const char* name;
    std::function<void()> prepare, happen;
    std::string announced;
  };
  const Case cases[] = {
      {"pre-flight", [&] { a_.pre_flight_fails = no("broken", Code::error); }, [] {},
       "SchedulerError web: running PreBindPreFlight \"A\": broken"},
      {"a pre-flight that rejects", [&] { a_.pre_flight_fails = no("not that one"); }, [] {},
       "SchedulerError web: PreBindPreFlight A returned \"Unschedulable\", which is unsupported. It is "
       "supposed to return Success, Skip, or Error status"},
      {"a pre-flight that rejects for good",
       [&] { a_.pre_flight_fails = no("not that one", Code::unschedulable_and_unresolvable); }, [] {},
       "SchedulerError web: PreBindPreFlight A returned \"UnschedulableAndUnresolvable\", which is "
       "unsupported. It is supposed to return Success, Skip, or Error status"},
      {"no plan", [&] { a_.pre_bind_fails = no("broken", Code::error); }, [] {},
       "SchedulerError web: running PreBind plugin \"A\": broken"},
      {"rejected", [&] { a_.pre_bind_fails = no("not that one"); }, [] {}, "Unschedulable web: not that one"},
      {"a write", [&] { a_.writes = {"x"}; }, [&] { refused("web", "the object has been modified"); },
       "SchedulerError web: running PreBind plugin \"A\": the object has been modified"},
      {"the cluster", [&] { a_.ready_timeout = 1min; },
       [&] {
         a_.progress = Progress::failed("it got lost");
         something_happens();
       },
       "SchedulerError web: running PreBind plugin \"A\": it got lost"},
      {"time", [&] { a_.ready_timeout = 1min; }, [&] { pass(1min); },
       "SchedulerError web: running PreBind plugin \"A\": took too long"},
      {"no time", [&] { a_.ready_timeout = 0s; }, [&] { pass(0s); },
       "SchedulerError web: running PreBind plugin \"A\": took too long"},
      {"preempted while a write is in flight", [&] { a_.writes = {"x", "y"}; },
       [&] {
         EXPECT_TRUE(scheduler_.preempt("uid-web", "P"));
         EXPECT_TRUE(is_placed("web"));
         wrote("web");
       },
       "SchedulerError web: running PreBind plugin \"A\": preempted by P"},
      {"preempted while waiting", [&] { a_.ready_timeout = 1min; },
       [&] { EXPECT_TRUE(scheduler_.preempt("uid-web", "P")); },
       "SchedulerError web: running PreBind plugin \"A\": preempted by P"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    a_.pre_binds = true;
    a_.pre_flight_fails.reset();
    a_.pre_bind_fails.reset();
    a_.writes.clear();
    a_.ready_timeout.reset();
    a_.progress = Progress::not_yet();
    c.prepare();
    begin();
    c.happen();
    EXPECT_EQ(world_.ends.size(), 1u);
    EXPECT_EQ(world_.ends, Log{c.announced.substr(c.announced.find(' ') + 1).replace(0, 4, "web")});
    world_.ends.clear();
    EXPECT_FALSE(is_placed("web"));
    EXPECT_EQ(rejected_by("web"), "") << "tried again after a backoff";
    EXPECT_EQ(scheduler_.queue().counts().backoff, 1u);
    scheduler_.pod_deleted("uid-web");
    take_log();
  }
}

TEST_F(Binding, AFailureAfterTheNominationWithdrawsIt) {
  a_.pre_binds = true;
  a_.writes = {"x"};
  begin();
  refused("web", "no");
  EXPECT_EQ(take_log(), (Log{"B unreserve web on n1", "A unreserve web on n1", "nominate web to ",
                             "SchedulerError web: running PreBind plugin \"A\": no"}));
}

TEST_F(Binding, PreemptedWhileWaitingForAPermit) {
  a_.waits = 1min;
  begin();
  EXPECT_TRUE(scheduler_.preempt("uid-web", "P"));
  EXPECT_EQ(log_.back(), "SchedulerError web: waiting on permit for pod: preempted");
  EXPECT_FALSE(scheduler_.preempt("uid-web", "P"));
}

TEST_F(Binding, APodThatIsBeingBoundCannotBePreempted) {
  begin();
  EXPECT_FALSE(scheduler_.preempt("uid-web", "P"));
}

TEST_F(Binding, APodThatGoesWhileAWriteIsInFlightEndsWithIt) {
  a_.pre_binds = true;
  a_.writes = {"x", "y"};
  begin();
  scheduler_.pod_deleted("uid-web");
  EXPECT_FALSE(is_placed("web"));
  EXPECT_EQ(take_log(), Log{});
  EXPECT_EQ(scheduler_.bindings(), 1u);
  wrote("web");
  EXPECT_EQ(take_log(), (Log{"A written 0 web on n1", "B unreserve web on n1", "A unreserve web on n1"}));
  EXPECT_EQ(scheduler_.bindings(), 0u);
  EXPECT_EQ(rejected_by("web"), "-");
}

// etcd was restored while the request was in flight, to a state before its binding.
TEST_F(Binding, APodThatIsOnNoNodeAnyMoreIsTriedAgainOnceItsRequestHasEnded) {
  const auto web = pod("web").req("cpu", "3");
  using Happen = std::function<void()>;
  const auto ends = [&](BindEnd end) {
    return Happen([this, end] { scheduler_.binding_ended("uid-web", {end, "an answer"}); });
  };
  const struct {
    const char* name;
    const char* shown_on;
    Log writes;
    Happen end;
    bool is_tried_again;
  } cases[] = {
      {"bound, which the restored state does not know", "n1", {}, ends(BindEnd::bound), true},
      {"refused", "n1", {}, ends(BindEnd::rejected), true},
      {"elsewhere", "n1", {}, ends(BindEnd::elsewhere), true},
      {"not sent", "n1", {}, ends(BindEnd::not_sent), true},
      {"another node", "n2", {}, ends(BindEnd::bound), true},
      {"another write", "n1", {"x"}, [&] { wrote("web"); }, true},
      {"the scheduler stops", "n1", {}, ends(BindEnd::unknown), false},
  };
  see(machine("n2", "1"));
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    a_.pre_binds = !c.writes.empty();
    a_.writes = c.writes;
    begin(web);
    see(pod("web").req("cpu", "3").node(c.shown_on));
    see(web);
    const auto* assumed = scheduler_.snapshot().find_pod("uid-web");
    ASSERT_TRUE(assumed) << "the request may still be carried out";
    EXPECT_EQ((**assumed)->node_name, "n1");
    EXPECT_EQ(scheduler_.bindings(), 1u);
    c.end();
    EXPECT_FALSE(is_placed("web"));
    EXPECT_EQ(scheduler_.bindings(), 0u);
    EXPECT_EQ(scheduler_.queue().counts().backoff, c.is_tried_again ? 1u : 0u);
    scheduler_.pod_deleted("uid-web");
    take_log();
    world_.ends.clear();
  }
}

// --- bounds and stop ---

TEST_F(Binding, WaitingPodsDoNotKeepOthersFromBeingScheduled) {
  a_.waits = 1min;
  for (std::size_t i = 0; i <= Scheduler::kMaxBindings; ++i) see(pod(fmt::format("p{}", i)));
  EXPECT_EQ(run(), static_cast<int>(Scheduler::kMaxBindings) + 1);
  EXPECT_EQ(scheduler_.bindings(), Scheduler::kMaxBindings + 1);
}

TEST_F(Binding, AStopEndsWaitsAndLeavesRequestsTheirTime) {
  a_.waits = 1min;
  begin(pod("permitting"));
  a_.waits.reset();
  begin(pod("binding"));
  a_.pre_binds = true;
  a_.writes = {"x", "y"};
  begin(pod("writing"));
  a_.writes.clear();
  a_.ready_timeout = 1min;
  begin(pod("awaiting"));
  EXPECT_EQ(scheduler_.bindings(), 4u);

  scheduler_.stop();
  EXPECT_EQ(take_log(), (Log{"B unreserve permitting on n1", "A unreserve permitting on n1",
                             "B unreserve awaiting on n1", "A unreserve awaiting on n1"}));
  EXPECT_EQ(scheduler_.bindings(), 2u);
  wrote("writing");
  EXPECT_EQ(take_log(),
            (Log{"A written 0 writing on n1", "B unreserve writing on n1", "A unreserve writing on n1"}));
  bound("binding");
  EXPECT_EQ(log_.front(), "scheduled binding on n1");
  EXPECT_EQ(scheduler_.bindings(), 0u);
  for (const char* name : {"permitting", "writing", "awaiting"}) EXPECT_EQ(rejected_by(name), "-") << name;
}

}  // namespace
}  // namespace podium::cycle
