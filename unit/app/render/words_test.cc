#include "app/render/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

#include "scheduler/plugins/registry.h"

namespace podium::render {
namespace {

using framework::Point;

// A plugin without words would be shown under its own name, which readers of a report need not know.
TEST(Words, EveryPluginThatScoresOrFiltersHasItsOwn) {
  for (const auto& plugin : plugins::in_tree()) {
    if (!plugin.make) continue;
    if (std::ranges::find(plugin.points, Point::score) != plugin.points.end()) {
      EXPECT_NE(strategy_words(plugin.name), plugin.name) << "kStrategies of app/render/words.cc";
    }
    if (std::ranges::find(plugin.points, Point::filter) != plugin.points.end()) {
      EXPECT_NE(filter_words(plugin.name), plugin.name) << "kFilters of app/render/words.cc";
    }
  }
}

TEST(Words, APluginOfAnotherProgramKeepsItsName) {
  EXPECT_EQ(strategy_words("ZoneBudget"), "ZoneBudget");
  EXPECT_EQ(filter_words("ZoneBudget"), "ZoneBudget");
}

explain::ReportRejection short_of(const char* resource, std::size_t nodes, std::size_t without = 0) {
  return {.plugin = "NodeResourcesFit",
          .code = "InsufficientResource",
          .nodes = nodes,
          .about = {{framework::Topic::resource, resource}},
          .shortfall = explain::MissingAmount{resource, "1", "n1", without}};
}

explain::ReportRejection tainted(std::size_t nodes, std::vector<std::string> taints) {
  const auto total = taints.size();
  return {.code = "UntoleratedTaint", .nodes = nodes, .taints = std::move(taints), .taints_total = total};
}

explain::ReportRejection not_selected(std::size_t nodes, std::vector<explain::UnmetPart> parts = {}) {
  return {.code = "NodeSelectorMismatch", .nodes = nodes, .parts = std::move(parts)};
}

TEST(Words, AMistypedClassOrLabelHasASuggestion) {
  using framework::Topic;
  const explain::ReportRejection claim{.code = "ClaimClassNotFound",
                                       .nodes = 3,
                                       .about = {{Topic::claim, "data"}, {Topic::storage_class, "fats"}},
                                       .similar = {"fast"}};
  EXPECT_EQ(rejection_words(claim),
            "its claim data names the StorageClass fats, which does not exist; did you mean fast?");
  const explain::ReportRejection spread{.code = "TopologyLabelMissing",
                                        .nodes = 3,
                                        .about = {{Topic::label, "zoen"}},
                                        .similar = {"zone", "zones"}};
  EXPECT_THAT(rejection_words(spread), testing::EndsWith("; did you mean zone or zones?"));
}

TEST(Words, ATolerationThatMissesATaintSaysByWhat) {
  const auto words = [](explain::NearToleration near) {
    auto rejection = tainted(2, {"gpu=a100:NoSchedule"});
    rejection.near_toleration = std::move(near);
    return rejection_words(rejection);
  };
  EXPECT_EQ(
      words({"value", "gpu", "a1000", "a100"}),
      "have a taint that the pod does not tolerate: gpu=a100:NoSchedule; its toleration for gpu has value "
      "a1000, the taint has a100");
  using testing::EndsWith;
  EXPECT_THAT(words({"value", "gpu", "", "a100"}),
              EndsWith("; its toleration for gpu has no value, the taint has a100"));
  EXPECT_THAT(words({"value", "gpu", "true", ""}),
              EndsWith("; its toleration for gpu has value true, the taint has none"));
  EXPECT_THAT(words({"effect", "gpu", "NoExecute", "NoSchedule"}),
              EndsWith("; its toleration for gpu has effect NoExecute, the taint has NoSchedule"));
  EXPECT_THAT(words({"key", "gpuu", "gpuu", "gpu"}),
              EndsWith("; its toleration has key gpuu, the taint has gpu"));
}

TEST(Words, ATaintOfANodesStateSaysWhatItMeans) {
  EXPECT_EQ(
      rejection_words(tainted(2, {"node.kubernetes.io/not-ready:NoExecute"})),
      "have a taint that the pod does not tolerate: node.kubernetes.io/not-ready (the node is not ready)");
  const std::vector<std::string> taints{"node.kubernetes.io/not-ready:NoExecute",
                                        "node.kubernetes.io/not-ready:NoSchedule", "gpu=a100:NoSchedule"};
  EXPECT_EQ(listed_taints(taints, 3, 4),
            "gpu=a100:NoSchedule, node.kubernetes.io/not-ready (the node is not ready) and 1 more");
  EXPECT_EQ(listed_taints(taints, 3, 3),
            "gpu=a100:NoSchedule and node.kubernetes.io/not-ready (the node is not ready)");
  EXPECT_EQ(rejection_words(tainted(1, {"gpu=a100:NoSchedule"})),
            "has a taint that the pod does not tolerate: gpu=a100:NoSchedule");
}

TEST(Words, TheShortfallIsThatOfTheClosestNode) {
  EXPECT_EQ(shortfall_words(short_of("cpu", 3)), "closest: 1 cpu short");
  EXPECT_EQ(shortfall_words(short_of("cpu", 1)), "1 cpu short");
  EXPECT_EQ(shortfall_words(short_of("cpu", 3, 3)), "") << "none has any";
  auto full = short_of("pods", 3);
  full.code = "TooManyPods";
  EXPECT_EQ(shortfall_words(full), "") << "that the nodes are full says it";
  full.shortfall->least = "2";
  EXPECT_EQ(shortfall_words(full), "closest: 2 pods short");
}

TEST(Words, VolumesThatNoNodeReachesBothAreNamedWithTheirPlaces) {
  explain::ReportRejection rejection{.code = "VolumeAffinityMismatch", .nodes = 6};
  rejection.apart = {{"data", "pv-a", "topology.kubernetes.io/zone", {"eu-1a"}},
                     {"logs", "pv-b", "topology.kubernetes.io/zone", {"eu-1b", "eu-1c"}}};
  EXPECT_EQ(
      shortfall_words(rejection),
      "no node reaches both of its volumes: pv-a (claim data) is in zone eu-1a, pv-b (claim logs) in zone "
      "eu-1b or eu-1c");
  for (auto& each : rejection.apart) each.key = "kubernetes.io/hostname";
  rejection.apart[1].values = {"n2"};
  EXPECT_THAT(shortfall_words(rejection),
              testing::EndsWith("is on node eu-1a, pv-b (claim logs) on node n2"));
  for (auto& each : rejection.apart) each.values.clear();
  EXPECT_EQ(shortfall_words(rejection),
            "no node reaches both of its volumes: pv-a (claim data) and pv-b (claim logs) differ in "
            "kubernetes.io/hostname")
      << "names of nodes are withheld";
}

TEST(Words, ALabelThatNoNodeHasIsTheReason) {
  const auto words = [](explain::UnmetPart part) {
    return rejection_of("2 of 3 nodes", not_selected(2, {part}));
  };
  EXPECT_EQ(words({.from = "nodeSelector",
                   .requirement = "disktpye=ssd",
                   .missing_key = "disktpye",
                   .near = {"disktype"}}),
            "no node has the label disktpye; did you mean disktype?");
  EXPECT_EQ(words({.from = "nodeSelector", .requirement = "disk=nvme", .values = {"ssd"}, .values_total = 1}),
            "no node has disk=nvme");
  EXPECT_EQ(words({.from = "nodeAffinity", .requirement = "arch In [arm64]"}),
            "no node matches arch In [arm64]");
  EXPECT_EQ(words({.from = std::string(explain::kOneOfSeveralTerms), .requirement = "arch In [arm64]"}),
            "no node matches one of the terms of its node affinity");
  EXPECT_EQ(words({.from = "nodeSelector", .requirement = "disk=ssd", .nodes = 1}),
            "2 of 3 nodes do not match the pod's node selector or affinity");
}

TEST(Words, ALabelThatNodesMissIsNamed) {
  const auto missing = [](const char* code, framework::Topics about) {
    return rejection_words({.code = code, .nodes = 2, .about = std::move(about)});
  };
  const framework::Topics zone{{framework::Topic::label, "topology.kubernetes.io/zone"}};
  EXPECT_EQ(missing("TopologyLabelMissing", zone),
            "do not have the label topology.kubernetes.io/zone of a topology spread constraint");
  EXPECT_EQ(missing("TopologyLabelMissing", {}), "do not have the label of a topology spread constraint")
      << "of an older podium";
  EXPECT_EQ(missing("AffinityLabelMissing", zone),
            "do not have the label topology.kubernetes.io/zone of the pod's affinity");
}

// What an operator can change: the nodes that are meant for the pod, and have no room.
TEST(Words, TheMainReasonIsThatOfTheNodesForThePod) {
  const explain::UnmetPart met{.from = "nodeSelector", .requirement = "pool=gpu", .nodes = 1};
  const explain::UnmetPart unmet{.from = "nodeSelector", .requirement = "pool=GPU", .nodes = 0};
  struct Case {
    const char* name;
    std::vector<explain::ReportRejection> rejections;
    std::size_t main;
  };
  const Case cases[] = {
      {"most of the tainted nodes are of other pools",
       {tainted(20, {"pool=b:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"}), short_of("cpu", 10)},
       1},
      {"most of the tainted nodes are not ready",
       {tainted(20, {"node.kubernetes.io/not-ready:NoExecute", "pool=b:NoSchedule"}), short_of("cpu", 10)},
       0},
      {"other pools are tainted", {tainted(90, {"pool=b:NoSchedule"}), short_of("cpu", 10)}, 1},
      {"other pools have other labels", {not_selected(90), short_of("cpu", 10)}, 1},
      {"the nodes are not ready",
       {tainted(9, {"node.kubernetes.io/not-ready:NoExecute"}), short_of("cpu", 1)},
       0},
      {"as many nodes are not ready",
       {tainted(1, {"node.kubernetes.io/not-ready:NoExecute"}), short_of("cpu", 1)},
       1},
      {"an older podium does not name the taints",
       {{.code = "UntoleratedTaint", .nodes = 9}, short_of("cpu", 1)},
       0},
      {"no node has the device", {short_of("cpu", 5), short_of("gpu", 5, 5)}, 1},
      {"few nodes lack the device", {short_of("cpu", 5), short_of("gpu", 3, 3)}, 0},
      {"the nodes with the device are tainted",
       {tainted(2, {"gpu=yes:NoSchedule"}), short_of("gpu", 1, 1)},
       0},
      {"the selected node is tainted", {not_selected(1, {met}), tainted(1, {"pool=gpu:NoSchedule"})}, 1},
      {"the volume is in the zone of a full node",
       {{.code = "VolumeAffinityMismatch", .nodes = 9}, short_of("cpu", 1)},
       1},
      {"the volume is in the zone of a cordoned node",
       {{.code = "VolumeZoneMismatch", .nodes = 9}, {.code = "NodeUnschedulable", .nodes = 1}},
       1},
      {"no node reaches the volume", {{.code = "VolumeAffinityMismatch", .nodes = 9}}, 0},
      {"no node is selected", {not_selected(1, {unmet}), tainted(1, {"pool=gpu:NoSchedule"})}, 0},
      {"all have other labels", {not_selected(3, {met})}, 0},
      {"no node is selected, and some are cordoned",
       {not_selected(54, {unmet}), {.code = "NodeUnschedulable", .nodes = 3}},
       0},
      {"the selected nodes are cordoned",
       {not_selected(54, {met}), {.code = "NodeUnschedulable", .nodes = 3}},
       1},
  };
  for (const auto& c : cases) EXPECT_EQ(main_rejection(c.rejections), &c.rejections[c.main]) << c.name;
}

}  // namespace
}  // namespace podium::render
