// The life of a pod in the cycle: decided, assumed, bound or not, against a watch that may tell first.
#include "scheduler/cycle/scheduler.h"
#include "unit/scheduler/cycle/unused_seams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "unit/support/builders.h"

namespace podium::cycle {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
using Log = std::vector<std::string>;

class VirtualClock final : public Clock {
 public:
  Steady now() const override { return Steady(now_); }
  Wall wall() const override { return Wall(now_); }
  void advance(std::chrono::milliseconds d) { now_ += d; }

 private:
  std::chrono::nanoseconds now_ = 100s;
};

// Remembers what it was asked to bind; the tests say how it ends.
class FakeBinder final : public Binder {
 public:
  void bind(cluster::PodInfoPtr pod, std::string node) override {
    asked.push_back((*pod)->meta.name + " to " + node);
  }
  Log asked;
};

// Remembers whom it was asked to evict; the tests say how it ends.
class FakePreemptor final : public Preemptor {
 public:
  void preempt(PreemptionOrder order) override {
    std::string text = (*order.preemptor)->meta.name + " on " + order.node + ":";
    for (const auto& victim : order.victims) text += " " + (*victim)->meta.name;
    for (const auto& pod : order.to_withdraw) text += " -" + (*pod)->meta.name;
    asked.push_back(std::move(text));
    orders.push_back(std::move(order));
  }
  Log asked;
  std::vector<PreemptionOrder> orders;
};

class FakeNominator final : public Nominator {
 public:
  explicit FakeNominator(Log& log) : log_(log) {}
  void nominate(const cluster::PodInfo& pod, std::string node) override {
    log_.push_back(fmt::format("nominated {} to {}", pod->meta.name, node));
  }
  void forget(const std::string&) override {}

 private:
  Log& log_;
};

class FakeAnnouncer final : public Announcer {
 public:
  explicit FakeAnnouncer(Log& log) : log_(log) {}
  void scheduled(const cluster::PodInfo& pod, std::string_view node) override {
    log_.push_back(fmt::format("event {} Scheduled {}", pod->meta.name, node));
  }
  void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
              const std::optional<std::string>& nominated_node) override {
    log_.push_back(fmt::format("event {} {}: {}", pod->meta.name, reason, message.substr(0, message.find('.'))));
    nominations[pod->meta.name] = nominated_node.value_or("as it was");
  }
  void preempted(const cluster::PodInfo& victim, const cluster::PodInfo& preemptor, std::string_view node) override {
    log_.push_back(fmt::format("event {} Preempted by {} on {}", victim->meta.name, preemptor->meta.name, node));
  }
  std::map<std::string, std::string> nominations;  // by pod, as the last failure asked for

 private:
  Log& log_;
};

class FakeRecorder final : public framework::Recorder {
 public:
  explicit FakeRecorder(Log& log) : log_(log) {}
  void decided(const framework::Attempt& attempt, const framework::Decision& decision,
               const cluster::Snapshot& snapshot) override {
    const auto verdict = decision.choice ? snapshot.node_name(*decision.choice) : "no node";
    log_.push_back(fmt::format("decided {} #{} {}", (*attempt.pod)->meta.name, attempt.number, verdict));
  }
  void binding_ended(const cluster::PodInfo& pod, const framework::BindResult& result) override {
    const auto end = result.bound ? std::string("bound") : "not bound: " + result.error;
    log_.push_back(fmt::format("binding {} {} {}", pod->meta.name, result.node, end));
  }
  void forgotten(std::string_view uid) override { log_.push_back(fmt::format("forgotten {}", uid)); }

 private:
  Log& log_;
};

class SchedulerTest : public ::testing::Test {
 protected:
  static cluster::PodInfoPtr info(const api::Pod& pod) {
    return cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
  }
  static test::NodeBuilder machine(const std::string& name, std::string_view cpu = "4") {
    return node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "1000");
  }

  void see(const api::Pod& pod) { scheduler_.pod_added_or_updated(info(pod)); }
  void see(const test::NodeBuilder& node) { scheduler_.node_added_or_updated(node.ptr()); }
  void end(const std::string& name, BindEnd how, std::string error = "") {
    scheduler_.binding_ended("uid-" + name, {how, std::move(error)});
  }
  // Steps for as long as there is something to do.
  int run() {
    int steps = 0;
    while (scheduler_.step()) ++steps;
    return steps;
  }
  // Lets time pass until the queue wants to be asked again.
  void sleep_until_wakeup() {
    const auto wakeup = scheduler_.next_wakeup();
    ASSERT_TRUE(wakeup);
    clock_.advance(std::chrono::ceil<std::chrono::milliseconds>(*wakeup - clock_.now()));
  }

  std::int64_t used_cpu(std::string_view node) {
    return scheduler_.snapshot().requested_milli_cpu[scheduler_.snapshot().find_row(node).value()];
  }
  // Where the snapshot has the pod; empty: nowhere.
  std::string place_of(const std::string& name) {
    const auto* placed = scheduler_.snapshot().find_pod("uid-" + name);
    return placed ? (**placed)->node_name : "";
  }
  bool waits(const std::string& name) const { return scheduler_.queue().find("uid-" + name) != nullptr; }
  Log take_log() { return std::exchange(log_, {}); }

  VirtualClock clock_;
  FakeBinder binder_;
  FakePreemptor preemptor_;
  NoWriter writer_;
  Log log_;
  FakeNominator nominator_{log_};
  FakeAnnouncer announcer_{log_};
  FakeRecorder recorder_{log_};
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  config::Config config_ = config::load("", "default").value();
  Scheduler scheduler_{{.config = config_,
                        .clock = clock_,
                        .binder = binder_,
                        .preemptor = preemptor_,
                        .writer = writer_,
                        .nominator = nominator_,
                        .announcer = announcer_,
                        .recorder = recorder_,
                        .metrics = metrics_}};
};

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

  see(pod("web").req("cpu", "3").node("n1"));  // what the watch tells in the end
  EXPECT_EQ(used_cpu("n1"), 3000);
  end("web", BindEnd::rejected, "told twice");
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
  EXPECT_EQ(scheduler_.next_wakeup(), clock_.now() + 2s);  // a second, and the rest of the one that it ends in
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

TEST_F(SchedulerTest, APodThatIsElsewhereIsForgotten) {
  see(machine("n1"));
  see(pod("web").req("cpu", "3"));
  run();
  end("web", BindEnd::elsewhere, "pod web is already assigned to node n2");
  EXPECT_EQ(place_of("web"), "");
  EXPECT_EQ(used_cpu("n1"), 0);
  EXPECT_FALSE(waits("web")) << "the watch tells the rest";
  EXPECT_EQ(take_log(),
            (Log{"decided web #1 n1", "binding web n1 not bound: pod web is already assigned to node n2"}));
}

// --- the watch and the binding's reply, in either order ---

TEST_F(SchedulerTest, WhatTheWatchSaysStandsWhateverTheReply) {
  for (const auto reply : {BindEnd::bound, BindEnd::elsewhere, BindEnd::rejected}) {
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

TEST_F(SchedulerTest, APodThatIsDeletedWhileItsBindingIsUnderWayStaysGone) {
  for (const auto reply : {BindEnd::bound, BindEnd::elsewhere, BindEnd::rejected}) {
    SCOPED_TRACE(static_cast<int>(reply));
    see(machine("n1"));
    see(pod("web").req("cpu", "3"));
    run();
    scheduler_.pod_deleted("uid-web");
    EXPECT_EQ(used_cpu("n1"), 0) << "its room is free at once";
    EXPECT_EQ(scheduler_.bindings(), 1u) << "but its binding is still under way";
    end("web", reply);
    EXPECT_EQ(place_of("web"), "");
    EXPECT_FALSE(waits("web"));
    EXPECT_EQ(scheduler_.bindings(), 0u);
  }
}

TEST_F(SchedulerTest, APodThatIsOnItsWayOutWhileItsBindingIsUnderWayFreesItsRoom) {
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
  EXPECT_EQ(take_log(), (Log{"decided web #2 no node",
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
  EXPECT_EQ(take_log(), Log{});
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
  EXPECT_FALSE(scheduler_.step());
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.gated = 1}));
  EXPECT_EQ(take_log(), Log{}) << "gated pods are not announced";

  see(pod("web"));
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(binder_.asked, Log{"web to n1"});
}

// --- what wakes a pod that did not fit ---

class Waking : public SchedulerTest {
 protected:
  // A pod of 3 CPUs that n1 (4 CPUs, 2 of them in use) has no room for; it is unschedulable when its backoff has ended.
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

TEST_F(Waking, NothingThatCannotHelp) {
  see(machine("n1").label("disk", "ssd"));                           // no more CPU than before
  see(pod("old").req("cpu", "2").node("n1").label("app", "old"));    // nor does it use less
  see(machine("small", "1"));                                        // too small
  scheduler_.pod_deleted("uid-unknown");
  EXPECT_FALSE(scheduler_.step());
  EXPECT_EQ(scheduler_.queue().counts(), (queue::QueueCounts{.unschedulable = 1}));
}

// The one that is waited for is placed by this scheduler itself, whichever of the watch and the reply comes first.
TEST_F(SchedulerTest, APodThatAnotherWaitedForWakesIt) {
  const auto beside = test::term("kubernetes.io/hostname").label("app", "db");
  for (const bool watch_first : {true, false}) {
    SCOPED_TRACE(watch_first);
    const std::string web = watch_first ? "web-1" : "web-2", db = watch_first ? "db-1" : "db-2";
    see(machine(web).label("pair", web));
    see(pod(web).node_selector("pair", web).affinity(beside));
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

// --- preemption ---

// n1 (4 CPUs) runs "low" (3 of them); "high" wants 2 and is more important.
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
  static test::PodBuilder low() { return pod("low").priority(1).req("cpu", "3").node("n1"); }
  static test::PodBuilder high() { return pod("high").priority(100).req("cpu", "2"); }
  void end(std::size_t order, Log evicted, std::string error = "") {
    PreemptionOutcome outcome{.error = std::move(error)};
    for (const auto& victim : preemptor_.orders.at(order).victims) {
      if (std::ranges::find(evicted, (*victim)->meta.name) != evicted.end()) outcome.evicted.push_back(victim);
    }
    scheduler_.preemption_ended(preemptor_.orders.at(order), outcome);
  }
  std::string nominated_to(const std::string& name) {
    for (const auto& [pod, node] : scheduler_.snapshot().nominations()) {
      if ((*pod)->meta.name == name) return node;
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

TEST_F(Preempting, TheWatchMayTellBeforeTheReply) {
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

TEST_F(Preempting, AFailureLetsItTryAgainAtOnce) {
  end(0, {}, "forbidden");
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(preemptor_.asked, (Log{"high on n1: low", "high on n1: low"}));
}

TEST_F(Preempting, TheNominationOutlivesUpdatesThatDoNotKnowOfIt) {
  see(high().label("team", "a"));
  EXPECT_EQ(nominated_to("high"), "n1");
  see(high().nominated("n1"));  // the status has it
  EXPECT_EQ(nominated_to("high"), "n1");
  see(high());  // and somebody has taken it back
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

TEST_F(Preempting, ALessImportantPodLosesItsNomination) {
  see(machine("n2"));
  see(pod("rock").priority(1000).req("cpu", "1").node("n2"));
  see(pod("v").priority(1).req("cpu", "3").node("n2"));
  see(pod("middle").priority(50).req("cpu", "4").nominated("n2"));
  see(pod("first").priority(500).req("cpu", "3").node_selector("kubernetes.io/hostname", "n2"));
  run();
  EXPECT_EQ(preemptor_.asked.back(), "first on n2: v -middle");
}

TEST_F(Preempting, ASecondVictimIsNotLookedForWhileTheFirstGoes) {
  see(high().nominated("n1"));
  end(0, {"low"});
  see(low().terminating().condition("DisruptionTarget", "True", "PreemptionByScheduler"));
  see(machine("n2", "1"));
  see(pod("small").priority(1).req("cpu", "1").node("n2"));
  see(machine("n2", "2"));  // wakes it
  run();
  EXPECT_EQ(preemptor_.asked.size(), 1u);
  EXPECT_EQ(announcer_.nominations["high"], "as it was");
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

// --- bounds ---

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
