#include "scheduler/queue/tallies.h"
#include "scheduler/cluster/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/scheduler/queue/fixture.h"

namespace podium::queue {
namespace {

using namespace std::chrono_literals;
using podium::test::pod;
using test::info;
using testing::Pair;
using testing::UnorderedElementsAre;

class QueueTallies : public testing::Test {
 protected:
  using Incoming = decltype(Tallies::incoming);
  static std::map<std::string, std::uint64_t> named(const Incoming& incoming) {
    std::map<std::string, std::uint64_t> out;
    for (const auto& [key, count] : incoming) {
      out[std::string(key.first) + " " + std::string(key.second)] = count;
    }
    return out;
  }
  std::map<std::string, std::uint64_t> incoming() const { return named(queue_.tallies().incoming); }
  std::map<std::string, std::uint64_t> entities() const { return named(queue_.tallies().incoming_entities); }
  std::map<std::string, std::int64_t> unschedulable() const {
    std::map<std::string, std::int64_t> out;
    for (const auto& [key, count] : queue_.tallies().rejected) {
      if (count) out[key.first + " " + key.second] = count;
    }
    return out;
  }
  std::map<std::string, std::size_t> kept() const {
    std::map<std::string, std::size_t> out;
    queue_.each_in_flight_event([&](std::string_view label, std::size_t number) {
      if (number) out[std::string(label)] = number;
    });
    return out;
  }
  void reject(std::set<std::string> by) { queue_.requeue(*queue_.pop(now_), std::move(by), now_); }

  const framework::Profile profile_ = test::make_profile();
  SchedulingQueue queue_{{}, [this](std::string_view) { return &profile_; }};
  Steady now_{1h};
};

TEST_F(QueueTallies, EveryWayIntoAQueueHasItsEvent) {
  queue_.upsert(info(pod("a")), now_);
  EXPECT_THAT(incoming(), UnorderedElementsAre(Pair("active UnscheduledPodAdd", 1)));

  reject({"Fit"});
  EXPECT_EQ(incoming()["unschedulable ScheduleAttemptFailure"], 1u);
  queue_.on_event(test::node_added(), now_);
  EXPECT_EQ(incoming()["backoff NodeAdd"], 1u);
  reject({"Affinity"});  // no pod is active, so it is popped from backoff
  EXPECT_EQ(incoming()["active PopFromBackoffQ"], 1u);
  now_ += 10s;  // the backoff is over
  queue_.on_event(test::pod_placed(), now_);
  EXPECT_EQ(incoming()["active AssignedPodAdd"], 1u);

  reject({});
  EXPECT_EQ(incoming()["backoff ScheduleAttemptFailure"], 1u);
  now_ += 20s;
  queue_.advance(now_);
  EXPECT_EQ(incoming()["active BackoffComplete"], 1u);

  reject({"Fit"});
  queue_.activate(pod("a").build().meta.uid, now_);
  EXPECT_EQ(incoming()["active ForceActivate"], 1u);

  reject({"Taints"});
  queue_.upsert(info(pod("a").tolerate_exists("k")), now_);
  EXPECT_EQ(incoming()["backoff TargetPodUpdatePodToleration"], 1u);

  reject({"Fit"});
  now_ += 6min;
  queue_.advance(now_);
  EXPECT_EQ(incoming()["active UnschedulableTimeout"], 1u);

  queue_.upsert(info(pod("gated").gate("g")), now_);
  EXPECT_EQ(incoming()["unschedulable UnscheduledPodAdd"], 1u);
  queue_.upsert(info(pod("gated").gate("g").label("a", "b")), now_);  // already gated
  EXPECT_EQ(incoming()["unschedulable UnscheduledPodAdd"], 1u);
  now_ += 6min;
  queue_.advance(now_);  // asked again, and gated again
  EXPECT_EQ(incoming()["unschedulable UnschedulableTimeout"], 1u);
  queue_.upsert(info(pod("gated").label("a", "b")), now_);
  EXPECT_EQ(incoming()["active TargetPodUpdatePodSchedulingGatesEliminated"], 1u);
}

// Source: recordIncomingEntitiesMetrics; requeueEntityWithQueueingStrategy names the queue that is meant.
TEST_F(QueueTallies, AnEntityThatComesWhereItsRequeueingSendsItIsNotCounted) {
  queue_.upsert(info(pod("a")), now_);
  reject({"Fit"});                            // unschedulable, as meant
  queue_.on_event(test::node_added(), now_);  // backoff, as meant
  reject({"Affinity"});                       // popped from backoff
  now_ += 10s;
  queue_.on_event(test::pod_placed(), now_);  // active, since its backoff is over
  reject({});                                 // backoff, as meant
  now_ += 20s;
  queue_.advance(now_);
  reject({"Fit"});
  queue_.activate(pod("a").build().meta.uid, now_);
  queue_.upsert(info(pod("gated").gate("g")), now_);
  EXPECT_THAT(entities(), UnorderedElementsAre(
                              Pair("active UnscheduledPodAdd", 1), Pair("active PopFromBackoffQ", 1),
                              Pair("active AssignedPodAdd", 1), Pair("active BackoffComplete", 1),
                              Pair("active ForceActivate", 1), Pair("unschedulable UnscheduledPodAdd", 1)));
}

TEST_F(QueueTallies, APodCountsForEachPluginThatTurnedItDownUntilItIsTriedAgain) {
  queue_.upsert(info(pod("a")), now_);
  queue_.upsert(info(pod("b")), now_);
  reject({"Fit", "Taints"});
  reject({"Fit"});
  EXPECT_THAT(unschedulable(),
              UnorderedElementsAre(Pair("Fit default-scheduler", 2), Pair("Taints default-scheduler", 1)));
  queue_.on_event(test::node_added("a"), now_);  // moves to backoff and still counts
  EXPECT_EQ(unschedulable()["Fit default-scheduler"], 2);
  ASSERT_EQ((*queue_.pop(now_)->pod)->meta.name, "a");
  EXPECT_THAT(unschedulable(), UnorderedElementsAre(Pair("Fit default-scheduler", 1)));
  queue_.remove(pod("a").build().meta.uid);  // in flight: not counted any more
  queue_.done(pod("a").build().meta.uid);
  queue_.remove(pod("b").build().meta.uid);
  EXPECT_THAT(unschedulable(), UnorderedElementsAre());
}

TEST_F(QueueTallies, AGatedPodCountsForItsGateOnce) {
  queue_.upsert(info(pod("a").gate("g")), now_);
  queue_.upsert(info(pod("a").gate("g").label("a", "b")), now_);
  EXPECT_THAT(unschedulable(), UnorderedElementsAre(Pair("Gates default-scheduler", 1)));
  queue_.upsert(info(pod("a")), now_);
  queue_.pop(now_);
  EXPECT_THAT(unschedulable(), UnorderedElementsAre());
}

// Rejects pods with label "team".
class TeamGate final : public framework::Plugin, public framework::PreEnqueuePlugin {
 public:
  std::string_view name() const override { return "Team"; }
  std::optional<framework::Verdict> pre_enqueue(const cluster::PodInfo& pod,
                                                const cluster::Snapshot&) const override {
    if (!pod->meta.labels.find("team")) return std::nullopt;
    return framework::Verdict{"Team", framework::Code::unschedulable_and_unresolvable, {}};
  }
};

TEST_F(QueueTallies, APodCountsForEachOfTheGatesThatItStoodAtUntilItIsTried) {
  auto profile = test::make_profile();
  profile.plugins.push_back(std::make_shared<TeamGate>());
  profile.pre_enqueue.push_back(static_cast<const TeamGate*>(profile.plugins.back().get()));
  SchedulingQueue queue{{}, [&](std::string_view) { return &profile; }};
  const auto count_of = [&](const std::string& plugin) {
    const auto it = queue.tallies().rejected.find({plugin, "default-scheduler"});
    return it == queue.tallies().rejected.end() ? 0 : it->second;
  };
  queue.upsert(info(pod("a").gate("g").label("team", "x")), now_);
  EXPECT_EQ(count_of("Gates"), 1);
  EXPECT_EQ(count_of("Team"), 0) << "only the first rejecting plugin counts";
  queue.upsert(info(pod("a").label("team", "x")), now_);
  EXPECT_EQ(queue.counts(), (QueueCounts{.gated = 1}));
  EXPECT_EQ(count_of("Gates"), 1);
  EXPECT_EQ(count_of("Team"), 1);
  queue.upsert(info(pod("a")), now_);
  EXPECT_EQ(queue.counts(), (QueueCounts{.active = 1}));
  EXPECT_EQ(count_of("Gates") + count_of("Team"), 2) << "not attempted yet";
  queue.pop(now_);
  EXPECT_EQ(count_of("Gates") + count_of("Team"), 0);
}

TEST_F(QueueTallies, OnlyAPodThatTheFlushBroughtBackIsMarkedAsSuch) {
  queue_.upsert(info(pod("a")), now_);
  reject({"Fit"});
  now_ += 6min;
  auto flushed = *queue_.pop(now_);
  EXPECT_TRUE(flushed.was_flushed);
  queue_.requeue(flushed, {"Fit"}, now_);
  queue_.on_event(test::node_added(), now_);
  EXPECT_FALSE(queue_.pop(now_)->was_flushed);
}

TEST_F(QueueTallies, EventsThatAreKeptForPodsInFlightAreCountedByKind) {
  queue_.upsert(info(pod("a")), now_);
  queue_.on_event(test::node_added(), now_);
  EXPECT_THAT(kept(), UnorderedElementsAre());  // no pod is in flight
  queue_.pop(now_);
  queue_.on_event(test::node_added(), now_);
  queue_.on_event(test::node_added(), now_);
  queue_.on_event(test::pod_placed(), now_);
  EXPECT_THAT(kept(),
              UnorderedElementsAre(Pair("NodeAdd", 2), Pair("AssignedPodAdd", 1), Pair("PodPopped", 1)));
  queue_.done(pod("a").build().meta.uid);
  EXPECT_THAT(kept(), UnorderedElementsAre());
}

}  // namespace
}  // namespace podium::queue
