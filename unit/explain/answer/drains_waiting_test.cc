// Drains where pods wait already: these take the room first that is theirs by the order of the queue.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using cluster::Snapshot;
using test::pod;
using testing::HasSubstr;
using unit::waits;
using Pods = std::vector<cluster::PodInfoPtr>;

test::PodBuilder one(const std::string& name, const char* cpu, int priority = 0) {
  return pod(name).ns("shop").uid(name).owner("ReplicaSet", "web").req("cpu", cpu).priority(priority);
}

std::vector<ChangeResult> changes(const Snapshot& snapshot, const std::string& list, const Pods& waiting) {
  const auto question = unit::read(unit::web("\"changes\": [" + list + "]"));
  const auto status = answer(question.value(), snapshot, unit::default_config(), {}, {}, waiting);
  EXPECT_TRUE(status.answer) << status.message;
  return status.answer ? status.answer->changes : std::vector<ChangeResult>();
}

std::string step(const char* node) {
  return fmt::format(R"({{"type": "DrainNodes", "nodeNames": ["{}"], "thenUncordon": true}})", node);
}
constexpr const char* kOneMore = R"({"type": "AddNodes", "count": 1, "like": "n1"}, )";

// "1 moved, 0 wait; hi→n1-new-1"
std::string said(const ChangeResult& change) {
  auto out = fmt::format("{} moved, {} wait", change.pods_moved.value_or(0), change.pods_pending.value_or(0));
  for (const auto& each : change.waiting) out += fmt::format("; {}→{}", each.name, each.node);
  EXPECT_GE(change.waiting_placed, change.waiting.size());
  return out;
}

Snapshot two_full_nodes() {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, one("a", "3").node("n1"));
  unit::run_pod(snapshot, one("b", "3").node("n2"));
  return snapshot;
}

TEST(DrainsWithPodsThatWait, ASpareNodeIsTakenByWhatWaitsBeforeTheFirstStep) {
  for (const int priority : {1000, 0, -5}) {
    SCOPED_TRACE(priority);
    const auto steps = changes(two_full_nodes(), kOneMore + step("n1") + ", " + step("n2"),
                               {waits(one("wait", "3", priority))});
    ASSERT_EQ(steps.size(), 3u);
    // A moved pod preempts what is less important, which then takes the node that comes back.
    const bool preempts = priority < 0;
    EXPECT_EQ(said(steps[1]), preempts ? "1 moved, 0 wait; wait→n1" : "0 moved, 1 wait; wait→n1-new-1");
    EXPECT_EQ(said(steps[2]), preempts ? "1 moved, 1 wait" : "0 moved, 1 wait");
    EXPECT_THAT(steps[1].message, HasSubstr("1 pod that waits gets a node"));
  }
  const auto without = changes(two_full_nodes(), kOneMore + step("n1") + ", " + step("n2"), {});
  EXPECT_EQ(said(without.at(1)), "1 moved, 0 wait");
}

TEST(DrainsWithPodsThatWait, ANodeThatComesBackGoesToTheFirstOfTheQueue) {
  struct Case {
    int priority;
    const char *first, *second;
    std::size_t at_the_end;  // pods without a node
  };
  const Case cases[] = {
      {1000, "0 moved, 1 wait; wait→n1", "0 moved, 1 wait", 2},
      // The pod that waits has the same priority, and is older than the one that a's controller creates.
      {0, "0 moved, 1 wait; wait→n1", "0 moved, 1 wait", 2},
      {-5, "0 moved, 1 wait", "0 moved, 1 wait", 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.priority);
    const auto steps =
        changes(two_full_nodes(), step("n1") + ", " + step("n2"), {waits(one("wait", "4", c.priority))});
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_EQ(said(steps[0]), c.first);
    EXPECT_EQ(steps[0].pending_so_far, 1u);
    EXPECT_EQ(said(steps[1]), c.second);
    EXPECT_EQ(steps[1].pending_so_far, c.at_the_end) << "a still waits if its node is taken";
  }
}

TEST(DrainsWithPodsThatWait, APodWithoutAPlaceWaitsOnForTheNodesOfLaterSteps) {
  auto snapshot = two_full_nodes();
  const auto steps =
      changes(snapshot, step("n1") + ", " + step("n2") + R"(, {"type": "DrainNode", "nodeName": "n2"})",
              {waits(one("wait", "4", 1000))});
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[1].pods.at(0).name, "b");
  EXPECT_EQ(steps[2].pods.at(0).name, "a") << "which is before b in the queue, so it took n2";
}

// The evicted pod kept the one that waits from all nodes of its zone.
TEST(DrainsWithPodsThatWait, WhatAnEvictionMakesPossibleIsTakenInTheOrderOfTheQueue) {
  for (const int priority : {1000, -5}) {
    SCOPED_TRACE(priority);
    auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
    for (const char* name : {"n1", "n2"}) {
      auto node = *snapshot.entry(*snapshot.find_row(name)).node;
      node.meta.labels.set("zone", "z");
      snapshot.set_node(test::share(node));
    }
    unit::run_pod(snapshot, one("a", "3").label("app", "a").node("n1"));
    api::PodAffinityTerm term;
    term.label_selector = api::LabelSelector{.match_labels = {{"app", "a"}}};
    term.topology_key = "zone";
    const api::Pod apart = one("wait", "3", priority).anti_affinity(term);
    const auto steps = changes(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})", {waits(apart)});
    EXPECT_EQ(said(steps.at(0)), priority > 0 ? "0 moved, 1 wait; wait→n2" : "1 moved, 0 wait");
  }
}

TEST(DrainsWithPodsThatWait, NodesThatFailAreNotTakenAndTheOthersByTheQueue) {
  auto snapshot = two_full_nodes();
  const auto steps =
      changes(snapshot, kOneMore + std::string(R"({"type": "FailNodes", "nodeNames": ["n1"]})"),
              {waits(one("wait", "3", 1000))});
  EXPECT_EQ(said(steps.at(1)), "0 moved, 1 wait; wait→n1-new-1");
}

TEST(DrainsWithPodsThatWait, PodsOfOtherNamespacesAreCountedOnly) {
  const auto steps = changes(two_full_nodes(), kOneMore + step("n1"),
                             {waits(one("secret", "1", 5).ns("bank")), waits(one("wait", "2"))});
  EXPECT_EQ(steps.at(1).waiting_placed, 2u);
  EXPECT_EQ(steps.at(1).pods_pending, 1u);
  ASSERT_EQ(steps.at(1).waiting.size(), 1u);
  EXPECT_EQ(steps.at(1).waiting.front().name, "wait");
}

TEST(DrainsWithPodsThatWait, GatedAndDeletedPodsTakeNothing) {
  const auto gated = waits(one("gated", "3").gate("example.com/quota"));
  const auto gone = waits(one("gone", "3").label("app", "gone"));
  const auto steps = changes(two_full_nodes(),
                             R"({"type": "DeletePods", "selector": {"matchLabels": {"app": "gone"}}}, )" +
                                 std::string(kOneMore) + step("n1"),
                             {gated, gone});
  EXPECT_EQ(said(steps.at(2)), "1 moved, 0 wait");
}

TEST(DrainsWithPodsThatWait, TheAskedPodIsNotPlacedTwice) {
  const api::Pod asked = one("wait", "3");
  auto question = unit::about(asked, 1);
  question.changes =
      unit::read(unit::web("\"changes\": [" + std::string(kOneMore) + step("n1") + "]"))->changes;
  const auto status = answer(question, two_full_nodes(), unit::default_config(), {}, {}, {waits(asked)});
  ASSERT_TRUE(status.answer) << status.message;
  EXPECT_EQ(said(status.answer->changes.at(1)), "1 moved, 0 wait");
}

TEST(Drains, PodsThatNoControllerCreatesAgainAreCounted) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, pod("bare").ns("bank").req("cpu", "1").node("n1"));
  unit::run_pod(snapshot, one("a", "1").node("n1"));
  EXPECT_EQ(changes(snapshot, step("n1"), {}).at(0).pods_gone, 1u);
}

}  // namespace
}  // namespace podium::explain
