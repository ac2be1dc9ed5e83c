// Two configurations on one cluster: where all of its pods would be with each.
#include "explain/answer/comparison.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/config/load.h"
#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using test::pod;
using unit::waits;

// A configuration that fills nodes one after the other, or that spreads (the default).
config::Config packing(const std::string& scheduler = "default-scheduler") {
  return config::load(fmt::format(R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: {}
  pluginConfig:
  - {{name: NodeResourcesFit, args: {{scoringStrategy: {{type: MostAllocated, resources: [{{name: cpu, weight: 1}}]}}}}}}
  plugins:
    multiPoint:
      disabled: [{{name: PodTopologySpread}}, {{name: NodeResourcesBalancedAllocation}}]
)",
                                  scheduler),
                      "new.yaml")
      .value();
}

test::PodBuilder placed(const std::string& name, const char* cpu, const char* node) {
  return pod(name).ns("shop").uid(name).owner("ReplicaSet", "web").req("cpu", cpu).node(node);
}

ConfigComparison compared(const cluster::Snapshot& snapshot, const unit::Pods& waiting = {},
                          const config::Config& to = packing()) {
  return compare_configs(unit::default_config(), to, waiting, {}, snapshot);
}

std::string said(const std::vector<ComparedPod>& pods) {
  std::string out;
  for (const auto& each : pods)
    out += fmt::format("{}{}/{} {}→{} {}", out.empty() ? "" : "; ", each.ns, each.name, each.old_node,
                       each.new_node, each.reason);
  return out;
}

std::string said(const ComparedSide& side) {
  auto out = fmt::format("{} on {}", side.placed, side.nodes_in_use);
  for (const auto& each : side.waiting) out += fmt::format("; {}: {}", each.pods, each.reason);
  return out;
}

TEST(Comparison, PlacesAllPodsAgainWithEach) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, placed("a", "1", "n1"));
  unit::run_pod(snapshot, placed("b", "1", "n2"));
  const auto out = compared(snapshot);
  EXPECT_EQ(out.pods, 2u);
  EXPECT_EQ(said(out.old_side), "2 on 2") << "spread";
  EXPECT_EQ(said(out.new_side), "2 on 1") << "packed";
  EXPECT_EQ(out.moved.size(), 1u);
  EXPECT_TRUE(out.lost.empty() && out.gained.empty());
}

TEST(Comparison, EqualConfigurationsPlaceAlike) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "4"}});
  for (const auto* name : {"a", "b", "c", "d", "e"}) unit::run_pod(snapshot, placed(name, "1", "n1"));
  const auto out =
      compared(snapshot, {waits(pod("f").ns("shop").uid("f").req("cpu", "9"))}, unit::default_config());
  EXPECT_EQ(said(out.moved) + said(out.lost) + said(out.gained), "");
  EXPECT_EQ(said(out.old_side), "5 on 3; 1: Insufficient cpu");
  EXPECT_EQ(said(out.new_side), said(out.old_side));
}

// Spread pods leave no node with room for the large one, which comes last.
TEST(Comparison, NamesPodsThatGainAndLoseTheirPlace) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, placed("a", "1", "n1").created("2026-01-01T00:00:01Z"));
  unit::run_pod(snapshot, placed("b", "1", "n1").created("2026-01-01T00:00:02Z"));
  const unit::Pods waiting{
      waits(pod("big").ns("shop").uid("big").req("cpu", "4").created("2026-01-01T00:00:03Z"))};
  const auto out = compared(snapshot, waiting);
  EXPECT_EQ(said(out.gained), "shop/big →" + out.gained.at(0).new_node + " Insufficient cpu");
  EXPECT_EQ(said(out.lost), "");
  const auto back = compare_configs(packing(), unit::default_config(), waiting, {}, snapshot);
  EXPECT_EQ(said(back.lost), "shop/big " + out.gained.at(0).new_node + "→ Insufficient cpu");
  EXPECT_EQ(said(back.gained), "");
}

TEST(Comparison, HigherPrioritiesComeFirst) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  unit::run_pod(snapshot, placed("old", "3", "n1").created("2026-01-01T00:00:01Z"));
  const auto out = compared(
      snapshot,
      {waits(pod("vip").ns("shop").uid("vip").req("cpu", "3").priority(9).created("2026-01-01T00:00:02Z"))});
  EXPECT_EQ(said(out.new_side), "1 on 1; 1: Insufficient cpu");
  EXPECT_EQ(said(out.old_side), said(out.new_side)) << "the pod of higher priority has the room with both";
}

TEST(Comparison, SomePodsStay) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, placed("static", "1", "n1").annotation("kubernetes.io/config.mirror", "x"));
  unit::run_pod(snapshot, pod("agent").ns("shop").uid("agent").owner("DaemonSet", "agent").node("n1"));
  unit::run_pod(snapshot, placed("foreign", "1", "n2").scheduler("other"));
  unit::run_pod(snapshot, placed("a", "1", "n2"));
  const auto out = compared(snapshot, {waits(pod("gated").ns("shop").uid("g").gate("example.com/hold")),
                                       waits(pod("waits").ns("shop").uid("w").scheduler("other"))});
  EXPECT_EQ(out.pods, 1u);
  EXPECT_EQ(out.staying, 3u);
  EXPECT_EQ(out.gated, 1u);
  EXPECT_EQ(out.other_scheduler, 1u);
}

// spec.search.compareWeights of a what-if in namespace shop.
ReportStatus with_weights(const char* strategies, const cluster::Snapshot& snapshot,
                          const unit::Pods& waiting = {}, const Namespaces& seen = {},
                          const Budget& budget = {}) {
  auto question =
      unit::read(fmt::format(R"({{"search": {{"compareWeights": {{"strategies": [{}]}}}}}})", strategies));
  if (!question) return refusal(question.error());
  question->seen_namespaces = seen;
  return answer(*question, snapshot, unit::default_config(), budget, {}, waiting);
}

// The image draws all pods to n1. Without its weight they spread.
constexpr const char* kNoImages = R"({"name": "ImageLocality", "weight": 0})";
cluster::Snapshot with_image() {
  auto snapshot = unit::nodes_of({});
  for (const char* name : {"n1", "n2"}) {
    auto made = test::node(name).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110");
    if (name == std::string_view("n1")) made.image({"i:latest"}, 900'000'000);
    snapshot.set_node(made.ptr());
  }
  return snapshot;
}
test::PodBuilder using_image(const std::string& name, const char* node) {
  return placed(name, "1", node).image("i:latest");
}

TEST(ComparedWeights, NamesThePodsThatWouldBeElsewhere) {
  auto snapshot = with_image();
  for (const auto* name : {"a", "b", "c", "d"}) unit::run_pod(snapshot, using_image(name, "n1"));
  const auto status = with_weights(kNoImages, snapshot);
  ASSERT_TRUE(status.answer && status.answer->weights_compared) << status.message;
  const auto& found = *status.answer->weights_compared;
  EXPECT_EQ(found.pods, 4u);
  EXPECT_EQ(found.nodes_before, 1u) << "where the image is";
  EXPECT_EQ(found.nodes, 2u) << "spread";
  EXPECT_EQ(found.moved, 2u);
  ASSERT_EQ(found.elsewhere_total, found.moved);
  for (const auto& pod : found.elsewhere) {
    EXPECT_EQ(pod.ns, "") << "its own namespace";
    EXPECT_EQ(pod.node_before + "→" + pod.node, "n1→n2") << pod.name;
  }
  EXPECT_EQ(status.outcome, "Fits");
  EXPECT_EQ(status.message, fmt::format("{} of 4 pods would be placed on another node", found.moved));
  EXPECT_EQ(
      with_weights(R"({"name": "ImageLocality", "weight": 1})", snapshot).answer->weights_compared->moved, 0u)
      << "the profile's own weight";
}

TEST(ComparedWeights, OthersAreCountedAndNamedOnlyIfTheyAreSeen) {
  auto snapshot = with_image();
  for (const auto* name : {"a", "b", "c", "d"}) {
    auto pod = using_image(name, "n1").build();
    pod.meta.namespace_ = "bank";
    unit::run_pod(snapshot, pod);
  }
  const auto unseen = *with_weights(kNoImages, snapshot).answer->weights_compared;
  EXPECT_GT(unseen.moved, 0u);
  EXPECT_EQ(unseen.elsewhere_total, 0u);
  EXPECT_TRUE(unseen.elsewhere.empty());
  const auto seen = *with_weights(kNoImages, snapshot, {}, {"bank"}).answer->weights_compared;
  EXPECT_EQ(seen.elsewhere_total, seen.moved);
  ASSERT_FALSE(seen.elsewhere.empty());
  EXPECT_EQ(seen.elsewhere.front().ns, "bank");
}

TEST(ComparedWeights, IsRefusedOrDeclinedAsOtherQuestions) {
  auto snapshot = with_image();
  unit::run_pod(snapshot, using_image("a", "n1"));
  EXPECT_THAT(
      with_weights(R"({"name": "NoSuch", "weight": 1})", snapshot).message,
      testing::StartsWith("spec.search.compareWeights.strategies[0].name: unknown strategy \"NoSuch\""));
  int left = 1;
  EXPECT_EQ(with_weights(kNoImages, snapshot, {}, {}, [&] { return left-- > 0; }).message,
            "the deadline passed before all pods were placed");
  auto huge = using_image("huge", "n1").build();
  for (int i = 0; i < 50; ++i) huge.meta.annotations.set(fmt::format("a{}", i), std::string(1 << 20, 'x'));
  unit::run_pod(snapshot, huge);
  EXPECT_EQ(with_weights(kNoImages, snapshot).message,
            "the pods of the cluster need more memory than a what-if may use");
}

TEST(Comparison, APodWhoseProfileGoesHasNoPlace) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  unit::run_pod(snapshot, placed("a", "1", "n1"));
  const auto out = compared(snapshot, {}, packing("other"));
  EXPECT_EQ(said(out.lost), "shop/a n1→ no profile has the schedulerName default-scheduler");
  EXPECT_EQ(said(out.new_side), "0 on 0; 1: no profile has the schedulerName default-scheduler");
}

TEST(Comparison, ZonesHaveWhatTheirNodesHave) {
  cluster::Snapshot snapshot;
  for (const auto* zone : {"a", "b"})
    snapshot.set_node(test::node(fmt::format("n-{}", zone))
                          .cap("cpu", "4")
                          .cap("memory", "8Gi")
                          .cap("pods", "110")
                          .label("topology.kubernetes.io/zone", zone)
                          .ptr());
  unit::run_pod(snapshot, placed("x", "1", "n-a"));
  unit::run_pod(snapshot, placed("y", "1", "n-a"));
  const auto out = compared(snapshot);
  ASSERT_EQ(out.old_side.zones.size(), 2u);
  EXPECT_EQ(out.old_side.zones[0].zone, "a");
  EXPECT_EQ(out.old_side.zones[0].cpu_percent, 25u);
  EXPECT_EQ(out.old_side.zones[1].cpu_percent, 25u);
  EXPECT_EQ(out.new_side.zones[0].cpu_percent + out.new_side.zones[1].cpu_percent, 50u);
  EXPECT_EQ(std::max(out.new_side.zones[0].cpu_percent, out.new_side.zones[1].cpu_percent), 50u);
}

TEST(Comparison, AZoneMayBeFullManyTimesOver) {
  cluster::Snapshot snapshot;
  snapshot.set_node(test::node("n")
                        .cap("cpu", "1m")
                        .cap("memory", "1")
                        .cap("pods", "110")
                        .label("topology.kubernetes.io/zone", "a")
                        .ptr());
  unit::run_pod(snapshot, pod("agent")
                              .ns("shop")
                              .uid("agent")
                              .owner("DaemonSet", "agent")
                              .req("cpu", "9000P")
                              .req("memory", "8E")
                              .node("n"));
  const auto out = compared(snapshot);
  ASSERT_EQ(out.old_side.zones.size(), 1u);
  EXPECT_EQ(out.old_side.zones[0].cpu_percent, 1'000'000'000u);
  EXPECT_EQ(out.old_side.zones[0].memory_percent, 1'000'000'000u);
}

// No API server stores such pods, but a file may have them.
TEST(Comparison, OddPodsDoNoHarm) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, placed("a", "1", "n1").gate("example.com/hold"));
  unit::run_pod(snapshot, placed("b", "1", "n9"));
  unit::run_pod(snapshot, placed("static", "1", "n1").annotation("kubernetes.io/config.mirror", "x"));
  const auto out = compared(snapshot, {waits(pod("twin").ns("shop").uid("static").req("cpu", "1"))});
  EXPECT_EQ(out.old_side.placed, 2u) << "placed with a gate, and placed on a node that does not exist";
  EXPECT_EQ(said(out.lost) + said(out.gained), "");
}

TEST(Comparison, AnEndedBudgetIsSaid) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  unit::run_pod(snapshot, placed("a", "1", "n1"));
  for (int looks = 0; looks < 4; ++looks) {
    int left = looks;
    const auto out =
        compare_configs(unit::default_config(), packing(), {}, [&] { return left-- > 0; }, snapshot);
    EXPECT_FALSE(out.is_finished) << looks;
  }
}

}  // namespace
}  // namespace podium::explain
