// Drains: the pods that moved pods preempt, and what speaks against an eviction.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using cluster::Snapshot;
using test::pod;
using testing::HasSubstr;

test::PodBuilder leaves_with(const std::string& name, const char* cpu, int priority = 0) {
  return pod(name).ns("shop").uid(name).owner("ReplicaSet", "web").req("cpu", cpu).priority(priority);
}

ChangeResult drain_n1(const Snapshot& snapshot, const char* type = "DrainNodes") {
  const auto question =
      unit::read(unit::web(fmt::format(R"("changes": [{{"type": "{}", "nodeNames": ["n1"]}}])", type)));
  const auto status = answer(question.value(), snapshot, unit::default_config(), {}, {}, {});
  return status.answer ? status.answer->changes.at(0) : ChangeResult{.message = status.message};
}

// "hi→n2 (evicts low); low→- for hi"
std::string moves_of(const ChangeResult& change) {
  std::string out;
  for (const auto& pod : change.pods) {
    out += fmt::format("{}{}→{}", out.empty() ? "" : "; ", pod.name, pod.node.empty() ? pod.code : pod.node);
    if (!pod.warnings.empty()) out += fmt::format(" ({})", fmt::join(pod.warnings, ", "));
    if (!pod.made_room_for.empty()) out += " for " + pod.made_room_for;
  }
  return out;
}

TEST(DrainsEvicting, AMovedPodPreemptsAsTheSchedulerDoes) {
  struct Case {
    const char* name;
    std::vector<api::Pod> pods;
    std::string expected, numbers;
  };
  const api::Pod never = leaves_with("hi", "4", 9).preempt_never().node("n1");
  const Case cases[] = {
      {"the victim waits",
       {leaves_with("hi", "4", 9).node("n1"), leaves_with("low", "3").node("n2")},
       "hi→n2 (evicts low); low→NoNode for hi",
       "2 1 1 0 1"},
      {"the victim has another place",
       {leaves_with("hi", "4", 9).node("n1"), leaves_with("low", "2").node("n2")},
       "hi→n2 (evicts low); low→n3 for hi",
       "2 2 0 0 1"},
      {"nothing creates the victim again",
       {leaves_with("hi", "4", 9).node("n1"), pod("bare").ns("shop").uid("bare").req("cpu", "3").node("n2")},
       "hi→n2 (evicts bare); bare→NoController for hi",
       "2 1 0 1 1"},
      {"only less important ones",
       {leaves_with("hi", "4", 9).node("n1"), leaves_with("same", "3", 9).node("n2")},
       "hi→NoNode",
       "1 0 1 0 0"},
      {"never", {never, leaves_with("low", "3").node("n2")}, "hi→NoNode", "1 0 1 0 0"},
      {"a place without it",
       {leaves_with("hi", "2", 9).node("n1"), leaves_with("low", "3").node("n2")},
       "hi→n3",
       "1 1 0 0 0"},
      {"the victims of two",
       {leaves_with("a", "2", 9).node("n1"), leaves_with("b", "2", 8).node("n1"),
        leaves_with("low", "4").node("n2")},
       "a→n3; b→n2 (evicts low); low→NoNode for b",
       "3 2 1 0 1"},
      {"a victim preempts",
       {leaves_with("hi", "4", 9).node("n1"), leaves_with("mid", "2", 5).node("n2"),
        leaves_with("low", "2").node("n3")},
       "hi→n2 (evicts mid); low→NoNode for mid; mid→n3 (evicts low) for hi",
       "3 2 1 0 2"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    for (const char* type : {"DrainNodes", "FailNodes"}) {
      auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "2"}});
      for (const auto& each : c.pods) unit::run_pod(snapshot, each);
      const auto change = drain_n1(snapshot, type);
      EXPECT_EQ(moves_of(change), c.expected);
      EXPECT_EQ(fmt::format("{} {} {} {} {}", *change.pods_evicted, *change.pods_moved, *change.pods_pending,
                            change.pods_gone, change.pods_preempted),
                c.numbers);
    }
  }
}

TEST(DrainsEvicting, VictimsOfOtherNamespacesAreCountedOnly) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, leaves_with("hi", "4", 9).node("n1"));
  unit::run_pod(snapshot, leaves_with("secret", "3").ns("bank").node("n2"));
  const auto change = drain_n1(snapshot);
  EXPECT_EQ(moves_of(change), "hi→n2 (evicts a pod of another namespace)");
  EXPECT_EQ(change.pods_preempted, 1u);
  EXPECT_THAT(change.message,
              HasSubstr("2 pods evicted, 1 to make room for the others: 1 would move, 1 would "
                        "stay pending"));
}

TEST(DrainsEvicting, APodThatWaitsIsNotAVictim) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, leaves_with("hi", "3", 1000).node("n1"));
  const auto question = unit::read(unit::web(R"("changes": [{"type": "DrainNodes", "nodeNames": ["n1"]}])"));
  const auto waits = cluster::make_pod_info(
      std::make_shared<const api::Pod>(pod("w").ns("shop").uid("w").req("cpu", "3")), {});
  const auto status = answer(question.value(), snapshot, unit::default_config(), {}, {}, {waits});
  const auto& change = status.answer.value().changes.at(0);
  EXPECT_EQ(moves_of(change), "hi→n2");
  EXPECT_EQ(change.pods_preempted, 0u);
  EXPECT_EQ(change.waiting_placed, 0u) << "it waits as before";
}

// A pod with a volume is of a kind of its own, and so are the others here.
TEST(DrainsEvicting, APodWithAVolumeThatWaitsAndIsPreemptedWaitsAgain) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, leaves_with("hi", "3", 1000).node("n1"));
  const auto waits = [](const test::PodBuilder& built) {
    return cluster::make_pod_info(std::make_shared<const api::Pod>(built), {});
  };
  std::vector<cluster::PodInfoPtr> waiting{
      waits(pod("w")
                .ns("shop")
                .uid("w")
                .req("cpu", "3")
                .volume({.name = "data", .kind = api::Volume::Kind::iscsi, .id = "disk"}))};
  constexpr int kKinds = 64;  // a word of bits
  for (int i = 1; i < kKinds; ++i) {
    const auto name = fmt::format("large-{}", i);
    waiting.push_back(waits(pod(name).ns("shop").uid(name).label("kind", name).req("cpu", "100")));
  }
  const auto question = unit::read(unit::web(R"("changes": [{"type": "DrainNodes", "nodeNames": ["n1"]}])"));
  const auto status = answer(question.value(), snapshot, unit::default_config(), {}, {}, waiting);
  const auto& change = status.answer.value().changes.at(0);
  EXPECT_EQ(moves_of(change), "hi→n2");
  EXPECT_EQ(change.pods_preempted, 0u);
  EXPECT_EQ(change.waiting_placed, 0u);
}

TEST(DrainsEvicting, AStaticVictimMovesNowhere) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "2"}});
  unit::run_pod(snapshot, leaves_with("hi", "4", 1000).node("n1"));
  unit::run_pod(snapshot,
                leaves_with("static", "1").annotation("kubernetes.io/config.mirror", "x").node("n2"));
  EXPECT_EQ(moves_of(drain_n1(snapshot)), "hi→n2 (evicts static); static→NoNode for hi");
}

// A new node runs copies of the DaemonSet pods of the node that it is like.
TEST(DrainsEvicting, AVictimOnANewNodeIsNotTakenForTheOneItIsCopiedFrom) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, leaves_with("hi", "4", 1000).node("n1"));
  unit::run_pod(snapshot,
                pod("log").ns("shop").uid("log").owner("DaemonSet", "log").req("cpu", "3").node("n2"));
  const auto question = unit::read(unit::web(R"("changes": [
      {"type": "AddNodes", "like": "n2", "count": 1},
      {"type": "CordonNode", "nodeName": "n2"},
      {"type": "DrainNodes", "nodeNames": ["n1"]}])"));
  const auto status = answer(question.value(), snapshot, unit::default_config(), {}, {}, {});
  EXPECT_THAT(moves_of(status.answer.value().changes.at(2)), HasSubstr("hi→n2-new-1 (evicts log-n2-new-1)"));
}

TEST(DrainsEvicting, ManyVictimsAreCounted) {
  auto snapshot = unit::nodes_of({{"n1", "6"}, {"n2", "6"}});
  unit::run_pod(snapshot, leaves_with("hi", "6", 1000).node("n1"));
  for (int i = 0; i < 5; ++i) unit::run_pod(snapshot, leaves_with(fmt::format("low-{}", i), "1").node("n2"));
  EXPECT_THAT(moves_of(drain_n1(snapshot)), HasSubstr("hi→n2 (evicts low-0, low-1, low-2 and 2 more)"));
}

TEST(DrainsEvicting, OfAFailureOnlyTheDataCount) {
  auto snapshot = unit::two_nodes();
  unit::run_pod(snapshot, leaves_with("a", "0")
                              .annotation("karpenter.sh/do-not-disrupt", "true")
                              .volume({.name = "scratch", .id = "emptyDir"})
                              .node("n1"));
  EXPECT_EQ(moves_of(drain_n1(snapshot, "FailNodes")), "a→n2 (loses the data in emptyDir scratch)");
}

TEST(DrainsEvicting, WhatSpeaksAgainstAnEvictionIsNamed) {
  const auto warned = [](const test::PodBuilder& built) {
    auto snapshot = unit::two_nodes();
    unit::run_pod(snapshot, built);
    unit::run_pod(snapshot, leaves_with("other", "1").label("app", "db").node("n1"));
    for (const auto& [name, label] : {std::pair("db", "app"), std::pair("also", "also")})
      snapshot.objects().set(
          test::share(test::disruption_budget("shop", name, test::select_labels({{label, "db"}}), 1)));
    return moves_of(drain_n1(snapshot));
  };
  EXPECT_EQ(warned(leaves_with("a", "0").node("n1")), "a→n2; other→n2");
  EXPECT_EQ(warned(leaves_with("a", "0").label("app", "db").label("also", "db").node("n1")),
            "a→n2 (2 budgets match it, so its eviction is not allowed: also, db); "
            "other→n2 (budget db allows 1 disruption, and 2 of its pods are here)");
  EXPECT_EQ(warned(leaves_with("a", "0").annotation("karpenter.sh/do-not-disrupt", "true").node("n1")),
            "a→n2 (has the annotation karpenter.sh/do-not-disrupt: true); other→n2");
  EXPECT_EQ(warned(leaves_with("a", "0").volume({.name = "scratch", .id = "emptyDir"}).node("n1")),
            "a→n2 (has data on the node: emptyDir scratch); other→n2");
}

}  // namespace
}  // namespace podium::explain
