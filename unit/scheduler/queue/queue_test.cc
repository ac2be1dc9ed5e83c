#include "scheduler/queue/queue.h"

#include <gtest/gtest.h>

#include "unit/scheduler/queue/queue_fixture.h"

namespace podium::queue {
namespace {

using namespace std::chrono_literals;
using framework::EventResource;
using podium::test::pod;
using test::info;
using test::node_added;
using test::pod_placed;

// --- order ---

TEST_F(Queue, PopsByPriorityThenAge) {
  add(pod("old"));
  wait(1ms);
  add(pod("young"));
  add(pod("urgent").priority(10));
  add(pod("lazy").priority(-1));
  wait(1ms);
  add(pod("younger"));
  EXPECT_EQ(pop_all(), "urgent old young younger lazy");
  EXPECT_EQ(queue_.counts(), (QueueCounts{.in_flight = 5}));
}

TEST_F(Queue, PodsOfOneMomentKeepTheirOrder) {
  for (const auto* name : {"a", "b", "c", "d", "e", "f", "g"}) add(pod(name));
  queue_.remove(uid("c"));
  EXPECT_EQ(pop_all(), "a b d e f g");
}

TEST_F(Queue, AnUpdateMovesAPodWithinActive) {
  add(pod("a"));
  add(pod("b"));
  update(pod("b").priority(5));
  EXPECT_EQ(pop_all(), "b a");
  EXPECT_EQ(flights_.at("b").pod->priority, 5);
}

TEST_F(Queue, AddingAgainIsAnUpdate) {
  add(pod("a"));
  add(pod("a").priority(7));
  EXPECT_EQ(queue_.counts(), (QueueCounts{.active = 1}));
  EXPECT_EQ(found("a").pod->priority, 7);
}

TEST_F(Queue, CountsAttemptsAndTimes) {
  const auto added = now_;
  add(pod("a"));
  wait(3s);
  reject("a", {"Fit"});
  EXPECT_EQ(found("a").attempts, 1u);
  EXPECT_EQ(found("a").first_queued, added);
  EXPECT_EQ(found("a").last_queued, now_);
  EXPECT_EQ(found("a").rejected_by, std::set<std::string>{"Fit"});
}

// --- backoff ---

TEST_F(Queue, BackoffDoublesUpToTheMaximumAndEndsWithItsSecond) {
  const std::chrono::milliseconds expected[] = {1s, 2s, 4s, 8s, 10s, 10s};
  now_ = Steady(1h + 250ms);
  add(pod("a"));
  for (const auto backoff : expected) {
    ASSERT_EQ(pop(), "a");
    requeue("a", {"Fit"});
    queue_.on_event(node_added(), now_);
    ASSERT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
    const auto end = std::chrono::floor<std::chrono::seconds>(now_ + backoff) + 1s;
    EXPECT_EQ(queue_.next_wakeup(), end);
    queue_.advance(end - 1ms);
    EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
    queue_.advance(end);
    EXPECT_EQ(queue_.counts(), (QueueCounts{.active = 1}));
    now_ = end + 250ms;
  }
}

TEST_F(Queue, AnEventAfterTheBackoffActivatesImmediately) {
  add(pod("a"));
  reject("a", {"Fit"});
  wait(2s);
  queue_.on_event(node_added(), now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.active = 1}));
}

TEST_F(Queue, WithoutActivePodsTheOneWhoseBackoffEndsFirstIsPopped) {
  now_ = Steady(1h);
  for (const auto* name : {"slow", "first", "urgent"})
    add(pod(name).priority(name == std::string("urgent") ? 1 : 0));
  EXPECT_EQ(pop_all(), "urgent slow first");
  requeue("slow", {"Fit"});
  queue_.on_event(node_added(), now_);
  ASSERT_EQ(pop(), "slow");
  requeue("slow", {"Fit"});  // the second time: two seconds
  requeue("first", {"Fit"});
  wait(10ms);
  requeue("urgent", {"Fit"});  // later, but within the same second
  queue_.on_event(node_added(), now_);
  add(pod("active").priority(-5));
  EXPECT_EQ(pop_all(), "active urgent first slow");
}

TEST_F(Queue, ErrorsBackOffWhateverHappensAndAreNotPoppedEarly) {
  now_ = Steady(1h);
  add(pod("a"));
  reject("a", {});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
  EXPECT_EQ(found("a").consecutive_errors, 1u);
  EXPECT_EQ(found("a").unschedulable_count, 0u);
  queue_.on_event(node_added(), now_);
  EXPECT_EQ(pop(), "");
  wait(2s);
  reject("a", {});
  EXPECT_EQ(found("a").consecutive_errors, 2u);
  wait(2s);
  EXPECT_EQ(pop(), "");
  wait(1s);
  // An attempt that finds no node resets consecutive_errors.
  reject("a", {"Fit"});
  EXPECT_EQ(found("a").consecutive_errors, 0u);
  EXPECT_EQ(found("a").unschedulable_count, 1u);
}

TEST(QueueOptions, WithoutPoppingFromBackoffAllOfItIsWaitedFor) {
  const auto profile = test::make_profile();
  SchedulingQueue queue({.pop_from_backoff = false}, [&](std::string_view) { return &profile; });
  Steady now = Steady(1h) + 300ms;
  queue.upsert(info(pod("a")), now);
  queue.requeue(*queue.pop(now), {"Fit"}, now);
  queue.on_event(node_added(), now);
  EXPECT_EQ(queue.counts(), (QueueCounts{.backoff = 1}));
  EXPECT_FALSE(queue.pop(now + 999ms));
  EXPECT_EQ(queue.next_wakeup(), now + 1s) << "not rounded to the whole second";
  // PreEnqueue runs when the backoff ends, not before.
  queue.upsert(info(pod("a").gate("g")), now);
  EXPECT_EQ(queue.counts(), (QueueCounts{.backoff = 1}));
  EXPECT_FALSE(queue.pop(now + 1s));
  EXPECT_EQ(queue.counts(), (QueueCounts{.gated = 1}));
}

TEST(QueueOptions, AMaximumOfZeroMeansNoBackoff) {
  const auto profile = test::make_profile();
  SchedulingQueue queue({.initial_backoff = 1s, .max_backoff = 0s},
                        [&](std::string_view) { return &profile; });
  const Steady now{1h};
  queue.upsert(info(pod("a")), now);
  for (int i = 0; i < 3; ++i) {
    auto popped = queue.pop(now);
    ASSERT_TRUE(popped);
    queue.requeue(std::move(*popped), {}, now);
    EXPECT_EQ(queue.counts(), (QueueCounts{.active = 1}));
  }
}

// --- in flight ---

TEST_F(Queue, EventsInFlightAreNotLost) {
  add(pod("a"));
  add(pod("b"));
  queue_.on_event(node_added(), now_);  // before the flight: not stored
  ASSERT_EQ(pop_all(), "a b");
  queue_.on_event(node_added("a"), now_);
  queue_.on_event({framework::EventResource::csi_node, framework::kAdd, {}, {}},
                  now_);  // no plugin listens to it
  EXPECT_EQ(queue_.counts(), (QueueCounts{.in_flight = 2, .in_flight_events = 1}));
  requeue("a", {"Fit"});
  requeue("b", {"Fit"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1, .unschedulable = 1}));
  EXPECT_EQ(pop(), "a");
}

TEST_F(Queue, AMoveOfAllReachesThoseInFlight) {
  add(pod("a"));
  ASSERT_EQ(pop(), "a");
  queue_.move_all(now_);
  requeue("a", {"Deaf"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
}

TEST_F(Queue, PodsThatMissedEventsAreTriedAgain) {
  add(pod("early"));
  add(pod("late"));
  ASSERT_EQ(pop(), "early");
  for (int i = 0; i < 6; ++i) queue_.on_event(node_added("nobody"), now_);
  EXPECT_EQ(queue_.counts().in_flight_events, 4u);  // the limit of this queue
  ASSERT_EQ(pop(), "late");
  requeue("early", {"Deaf"});
  requeue("late", {"Deaf"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1, .unschedulable = 1}));
}

TEST_F(Queue, AnUpdateInFlightComesBackWithThePod) {
  add(pod("a"));
  ASSERT_EQ(pop(), "a");
  update(pod("a").priority(3).tolerate_exists(""));
  EXPECT_EQ(found("a").pod->priority, 3);
  requeue("a", {"Taints"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
  EXPECT_EQ(found("a").pod->priority, 3);
}

TEST_F(Queue, APodRemovedInFlightDoesNotComeBack) {
  for (const auto* name : {"a", "b"}) {
    add(pod(name));
    ASSERT_EQ(pop(), name);
    queue_.remove(uid(name));
    EXPECT_EQ(queue_.find(uid(name)), nullptr);
  }
  EXPECT_EQ(queue_.counts(), (QueueCounts{.in_flight = 2}));
  // Removed and then added again, as after a relist.
  queue_.upsert(info(pod("b")), now_);
  requeue("a", {"Fit"});
  requeue("b", {"Fit"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 1}));
  EXPECT_EQ(queue_.find(uid("a")), nullptr);
}

TEST_F(Queue, DoneEndsAFlightAndABindingThatFailsBringsThePodBack) {
  add(pod("a"));
  ASSERT_EQ(pop(), "a");
  queue_.done(uid("a"));
  EXPECT_EQ(queue_.counts(), QueueCounts{});
  EXPECT_EQ(queue_.find(uid("a")), nullptr);
  requeue("a", {});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
  EXPECT_EQ(found("a").attempts, 1u);
  requeue("a", {});  // already queued
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
  EXPECT_EQ(found("a").consecutive_errors, 1u);
  queue_.done(uid("a"));  // not in flight
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
}

// --- held pods ---

class Held : public Queue {
 protected:
  // "p" was rejected by Fit and Taints and is held; it waits for nodes and for its own tolerations.
  void SetUp() override {
    add(pod("p"));
    ASSERT_EQ(pop(), "p");
    queue_.hold(uid("p"));
    requeue("p", {"Fit", "Taints"});
    wait(1min);
  }
};

TEST_F(Held, NothingBringsItBack) {
  queue_.on_event(node_added(), now_);
  EXPECT_EQ(pop(), "");
  queue_.move_all(now_);
  EXPECT_EQ(pop(), "");
  update(pod("p").tolerate_exists("k"));
  EXPECT_EQ(pop(), "");
  wait(6min);
  EXPECT_EQ(pop(), "") << "nor does the flush";
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 1}));
}

TEST_F(Held, ReleasedItWaitsForTheNextEvent) {
  queue_.on_event(node_added(), now_);
  queue_.release(uid("p"));
  EXPECT_EQ(pop(), "");
  queue_.on_event(node_added(), now_);
  EXPECT_EQ(pop(), "p");
}

TEST_F(Held, ActivatedItIsTriedImmediately) {
  queue_.activate(uid("p"), now_);
  EXPECT_EQ(pop(), "") << "it is held";
  queue_.release(uid("p"));
  queue_.activate(uid("p"), now_);
  EXPECT_EQ(pop(), "p");
}

TEST_F(Held, ThePodThatComesUnderItsNameIsNot) {
  queue_.remove(uid("p"));
  add(pod("p"));
  EXPECT_EQ(pop(), "p");
}

TEST_F(Queue, ActivationCutsABackoffShort) {
  add(pod("p"));
  reject("p", {});
  EXPECT_EQ(pop(), "") << "an error backoff is not cut short";
  queue_.activate(uid("p"), now_);
  EXPECT_EQ(pop(), "p");
  queue_.activate(uid("p"), now_);
  queue_.activate(uid("nobody"), now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.in_flight = 1}));
}

// Pods in backoff have passed PreEnqueue, except for gates that an update added.
TEST_F(Queue, ActivationAsksTheGatesOfThoseThatDoNotBackOff) {
  for (const auto* name : {"backs-off", "fails", "waits"}) add(pod(name));
  ASSERT_EQ(pop_all(), "backs-off fails waits");
  requeue("backs-off", {"Fit"});
  queue_.on_event(node_added(), now_);
  requeue("fails", {});
  for (const auto* name : {"backs-off", "fails"}) {
    update(pod(name).gate("g"));
    queue_.activate(uid(name), now_);
    EXPECT_EQ(pop(), name);
  }
  requeue("waits", {"Deaf"});
  update(pod("waits").gate("g"));
  queue_.activate(uid("waits"), now_);
  EXPECT_EQ(pop(), "");
  EXPECT_EQ(queue_.counts(), (QueueCounts{.gated = 1, .in_flight = 2}));
}

// Gating does not shorten a backoff.
TEST_F(Queue, ActivationOfAGatedPodLeavesItsBackoffAsItIs) {
  SchedulingQueue queue({.pop_from_backoff = false}, [this](std::string_view) { return &profile_; });
  queue.upsert(info(pod("a")), now_);
  queue.requeue(*queue.pop(now_), {"Fit"}, now_);
  queue.on_event(node_added(), now_);
  queue.upsert(info(pod("a").gate("g")), now_);
  EXPECT_EQ(queue.counts(), (QueueCounts{.backoff = 1}));
  queue.activate(uid("a"), now_);
  EXPECT_EQ(queue.counts(), (QueueCounts{.gated = 1}));
  queue.upsert(info(pod("a")), now_);
  EXPECT_EQ(queue.counts(), (QueueCounts{.backoff = 1}));
}

TEST_F(Queue, ActivationInFlightBringsThePodBackOnce) {
  add(pod("p"));
  ASSERT_EQ(pop(), "p");
  queue_.activate(uid("p"), now_);
  requeue("p", {"Fit"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
  reject("p", {"Fit"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 1}));
}

TEST(QueueDeathTest, APodNamesAProfile) {
  SchedulingQueue queue({}, [](std::string_view) { return nullptr; });
  EXPECT_DEATH(queue.upsert(test::info(podium::test::pod("web").build()), Steady{}),
               "check failed at .*profile \\(scheduler_name = default-scheduler\\)");
}

}  // namespace
}  // namespace podium::queue
