// What wakes waiting pods: events, their own updates, their gates.
#include "scheduler/cluster/snapshot.h"
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

// --- events and unschedulable pods ---

TEST_F(Queue, AnUnschedulablePodWaitsForAnEventThatItsPluginsTakeForHelpful) {
  add(pod("a"));
  reject("a", {"Fit", "Deaf"});
  EXPECT_EQ(pop(), "");
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 1}));

  queue_.on_event(pod_placed(), now_);
  queue_.on_event(node_added("other"), now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 1}));
  queue_.on_event(node_added("a"), now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
  EXPECT_EQ(pop(), "a");  // no other pod is active
}

// "Fit" listens to added nodes but not to taints. Until v1.36 that made a change of taints wake its pods.
TEST_F(Queue, ATaintWakesOnlyWhoListensToTaints) {
  add(pod("a"));
  reject("a", {"Fit"});
  auto node = podium::test::node("n").label("hint", "other");
  queue_.on_event({EventResource::node, framework::kUpdateNodeLabel, node.ptr(), node.ptr()}, now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 1}));
  queue_.on_event({EventResource::node, framework::kUpdateNodeTaint, node.ptr(), node.ptr()}, now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 1}));
}

framework::ClusterEvent nominee_left() {
  return {EventResource::assigned_pod, framework::kDelete, pod("x").nominated("n").ptr(), {}};
}

TEST_F(Queue, AnEventHelpsThoseThatMayGainByIt) {
  for (const int priority : {1, 2, 3}) {
    const auto name = std::to_string(priority);
    add(pod(name).priority(priority));
    reject(name, {"Affinity"});
  }
  queue_.on_event(nominee_left(), now_, [](const auto& pod) { return pod.priority <= 2; });
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 2, .unschedulable = 1}));
  EXPECT_EQ(pop_all(), "2 1");
}

TEST_F(Queue, APodInFlightIsNotAskedWhetherItMayGain) {
  add(pod("a"));
  ASSERT_EQ(pop(), "a");
  queue_.on_event(nominee_left(), now_, [](const auto&) { return false; });
  requeue("a", {"Affinity"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
}

TEST_F(Queue, WhoMayGainIsAskedOnlyAboutPodsThatTheEventHelps) {
  for (const auto* name : {"helped", "other", "deaf"}) add(pod(name));
  ASSERT_EQ(pop_all(), "helped other deaf");
  requeue("helped", {"Fit"});
  requeue("other", {"Fit"});
  requeue("deaf", {"Affinity"});
  std::string asked;
  const auto none = [&](const cluster::PodInfo& pod) {
    asked += pod->meta.name + " ";
    return false;
  };
  queue_.on_event(node_added("helped"), now_, none);
  EXPECT_EQ(asked, "helped ");
  queue_.on_event({framework::EventResource::csi_node, framework::kAdd, {}, {}}, now_, none);
  EXPECT_EQ(asked, "helped ") << "no plugin listens to it";
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 3}));
}

TEST_F(Queue, AnEventMovesEachPodOnce) {
  add(pod("a"));
  add(pod("b"));
  reject("a", {"Fit", "Affinity"});
  reject("b", {"Affinity"});
  queue_.on_event(pod_placed(), now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 2}));
  queue_.on_event(node_added(), now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 2}));
}

TEST_F(Queue, APluginThatIsNotKnownListensToEverything) {
  add(pod("a"));
  reject("a", {"SomebodyElses"});
  EXPECT_EQ(queue_.counts(), (QueueCounts{.unschedulable = 1}));
  queue_.on_event({framework::EventResource::csi_node, framework::kDelete, {}, {}}, now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.backoff = 1}));
}

TEST_F(Queue, MoveAllTriesEveryPodButThoseThatStayGated) {
  add(pod("a"));
  add(pod("b"));
  add(pod("gated").gate("g"));
  reject("a", {"Deaf"});
  reject("b", {"Fit"});
  wait(10s);
  queue_.move_all(now_);
  EXPECT_EQ(queue_.counts(), (QueueCounts{.active = 2, .gated = 1}));
}

TEST_F(Queue, UnschedulablePodsAreFlushedAfterFiveMinutes) {
  add(pod("a"));
  reject("a", {"Deaf"});
  const auto rejected = now_;
  EXPECT_EQ(queue_.next_wakeup(), rejected + 5min);
  wait(5min - 1ms);
  EXPECT_EQ(pop(), "");
  wait(1ms);
  EXPECT_EQ(pop(), "a");
  EXPECT_EQ(queue_.next_wakeup(), std::nullopt);
}

// --- updates of waiting pods ---

TEST_F(Queue, AnUpdateHelpsWhereAPluginSaysSo) {
  struct Case {
    std::string name, plugin;
    api::Pod updated;
    QueueCounts counts;
  };
  const Case cases[] = {
      {"another toleration, which Taints hears of", "Taints", pod("a").tolerate_exists("k"), {.backoff = 1}},
      {"another toleration, which Fit does not care for",
       "Fit",
       pod("a").tolerate_exists("k"),
       {.unschedulable = 1}},
      {"our own status", "Taints", pod("a").condition("PodScheduled", "False"), {.unschedulable = 1}},
      {"a label", "Taints", pod("a").label("k", "v"), {.unschedulable = 1}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SchedulingQueue queue(options_, [this](std::string_view) { return &profile_; });
    queue.upsert(info(pod("a")), now_);
    queue.requeue(*queue.pop(now_), {c.plugin}, now_);
    queue.upsert(info(c.updated), now_);
    EXPECT_EQ(queue.counts(), c.counts);
    EXPECT_EQ(queue.find(uid("a"))->pod->pod->meta.labels, c.updated.meta.labels);
  }
}

TEST_F(Queue, RemovingWorksEverywhere) {
  for (const auto* name : {"active", "backoff", "error", "unschedulable"}) add(pod(name));
  add(pod("gated").gate("g"));
  ASSERT_EQ(pop_all(), "active backoff error unschedulable");
  requeue("backoff", {"Fit"});
  queue_.on_event(node_added(), now_);
  requeue("unschedulable", {"Affinity", "Deaf"});
  requeue("error", {});
  queue_.done(uid("active"));
  add(pod("active"));
  ASSERT_EQ(queue_.counts(), (QueueCounts{.active = 1, .backoff = 2, .unschedulable = 1, .gated = 1}));
  for (const auto* name : {"active", "backoff", "error", "unschedulable", "gated"}) {
    queue_.remove(uid(name));
    queue_.remove(uid(name));
  }
  EXPECT_EQ(queue_.counts(), QueueCounts{});
  EXPECT_EQ(queue_.next_wakeup(), std::nullopt);
  queue_.on_event(node_added(), now_);
  EXPECT_EQ(pop(), "");
}

// --- gates ---

TEST_F(Queue, AGatedPodWaitsForItsGatesAlone) {
  add(pod("a").gate("g").gate("h"));
  EXPECT_EQ(queue_.counts(), (QueueCounts{.gated = 1}));
  EXPECT_EQ(found("a").rejected_by, std::set<std::string>{"Gates"});
  queue_.on_event(node_added(), now_);
  queue_.move_all(now_);
  wait(1h);
  EXPECT_EQ(pop(), "");
  update(pod("a").gate("h"));
  EXPECT_EQ(queue_.counts(), (QueueCounts{.gated = 1}));
  wait(1h);
  update(pod("a"));
  EXPECT_EQ(queue_.counts(), (QueueCounts{.active = 1}));
  EXPECT_EQ(found("a").first_queued, now_);
  EXPECT_EQ(pop(), "a");
}

// Keeps pods out while it is closed, and has no hints.
class Door final : public framework::Plugin, public framework::PreEnqueuePlugin {
 public:
  explicit Door(const bool& open) : open_(open) {}
  std::string_view name() const override { return "Door"; }
  std::optional<framework::Verdict> pre_enqueue(const cluster::PodInfo&,
                                                const cluster::Snapshot&) const override {
    if (open_) return std::nullopt;
    return framework::Verdict{"Door", framework::Code::unschedulable_and_unresolvable, {}};
  }

 private:
  const bool& open_;
};

class GatedQueue : public Queue {
 protected:
  GatedQueue() {
    auto door = std::make_shared<Door>(open_);
    gated_profile_.pre_enqueue.push_back(door.get());
    gated_profile_.plugins.push_back(std::move(door));
  }

  bool open_ = false;
  framework::Profile gated_profile_ = test::make_profile();
  SchedulingQueue gated_{options_, [this](std::string_view) { return &gated_profile_; }};
};

// Source: flushUnschedulablePodsLeftover of v1.36.4. Before it, a gated pod waited for its gate alone.
TEST_F(GatedQueue, TheFlushAsksAGateAgain) {
  gated_.upsert(info(pod("a")), now_);
  const auto queued = now_;
  EXPECT_EQ(gated_.next_wakeup(), queued + 5min);
  wait(5min);
  gated_.advance(now_);
  EXPECT_EQ(gated_.counts(), (QueueCounts{.gated = 1}));
  EXPECT_FALSE(gated_.find(uid("a"))->was_flushed);
  EXPECT_EQ(gated_.next_wakeup(), queued + 10min) << "once in five minutes";
  open_ = true;
  wait(5min);
  const auto popped = gated_.pop(now_);
  ASSERT_TRUE(popped);
  EXPECT_TRUE(popped->was_flushed);
  EXPECT_EQ(popped->first_queued, now_);
}

TEST_F(GatedQueue, AnAttemptRestartsTheFiveMinutes) {
  gated_.upsert(info(pod("a")), now_);
  wait(5min);
  open_ = true;
  auto popped = gated_.pop(now_);
  ASSERT_TRUE(popped);
  wait(1min);
  gated_.requeue(*popped, {"Deaf"}, now_);
  EXPECT_EQ(gated_.next_wakeup(), now_ + 5min);
  open_ = false;
  wait(5min);
  gated_.advance(now_);
  EXPECT_EQ(gated_.counts(), (QueueCounts{.gated = 1}));
  EXPECT_EQ(gated_.next_wakeup(), now_ + 5min);
}

TEST_F(GatedQueue, MoveAllAsksAGateAgain) {
  gated_.upsert(info(pod("a")), now_);
  gated_.move_all(now_);
  EXPECT_EQ(gated_.counts(), (QueueCounts{.gated = 1}));
  open_ = true;
  gated_.move_all(now_);
  EXPECT_EQ(gated_.counts(), (QueueCounts{.active = 1}));
}

}  // namespace
}  // namespace podium::queue
