#include "scheduler/framework/events.h"

#include <gtest/gtest.h>

#include "unit/support/builders.h"

namespace podium::framework {
namespace {

using podium::test::node;
using podium::test::NodeBuilder;
using podium::test::pod;
using podium::test::PodBuilder;

TEST(PodChanges, SayWhatMayHelpAPod) {
  struct Case {
    std::string name;
    PodBuilder before, after;
    std::uint32_t changes;
  };
  const auto web = [] { return pod("web").label("app", "web").req("cpu", "2").req("nvidia.com/gpu", "1"); };
  const std::vector<Case> cases{
      {"nothing", web(), web(), 0},
      {"a label", web(), web().label("tier", "front"), kUpdatePodLabel},
      {"less cpu", web(), web().req("cpu", "1"), kUpdatePodScaleDown},
      {"more cpu", web(), web().req("cpu", "3"), kUpdatePodScaleUp},
      {"memory in addition", web(), web().req("memory", "1Gi"), kUpdatePodScaleUp},
      {"one less, one more", web(), web().req("cpu", "1").req("nvidia.com/gpu", "2"),
       kUpdatePodScaleDown | kUpdatePodScaleUp},
      {"a device less", web(), pod("web").label("app", "web").req("cpu", "2"), kUpdatePodScaleDown},
      {"a toleration", web(), web().tolerate_exists("gpu"), kUpdatePodTolerations},
      {"the last gate", web().gate("quota"), web(), kUpdatePodGatesEliminated},
      {"one gate of two", web().gate("quota").gate("license"), web().gate("quota"), 0},
      {"an annotation", web(), web().annotation("note", "x"), 0},
      {"two at the same time", web().gate("quota"), web().label("tier", "front"),
       kUpdatePodGatesEliminated | kUpdatePodLabel},
  };
  for (const auto& c : cases) EXPECT_EQ(pod_changes(c.before, c.after), c.changes) << c.name;
}

TEST(PodChanges, SayWhetherTheClaimsChanged) {
  const api::Pod none = pod("web");
  auto generated = none, renamed = none, extended = none;
  generated.resource_claim_statuses = {{"gpu", "web-gpu-x"}};
  renamed.resource_claim_statuses = {{"gpu", "web-gpu-y"}};
  extended.extended_resource_claim = api::PodExtendedResourceClaim{"web-x", {}};
  EXPECT_EQ(pod_changes(none, generated), kUpdatePodClaims);
  EXPECT_EQ(pod_changes(generated, renamed), kUpdatePodClaims);
  EXPECT_EQ(pod_changes(none, extended), kUpdatePodClaims);
  EXPECT_EQ(pod_changes(generated, generated), 0u);
}

TEST(NodeChanges, SayWhatMayHelpAPod) {
  struct Case {
    std::string name;
    NodeBuilder before, after;
    std::uint32_t changes;
  };
  const auto n1 = [] { return node("n1").cap("cpu", "4"); };
  const std::vector<Case> cases{
      {"nothing", n1(), n1(), 0},
      {"allocatable", n1(), n1().allocatable("cpu", "3"), kUpdateNodeAllocatable},
      {"a label", n1(), n1().zone("a"), kUpdateNodeLabel},
      {"a taint", n1(), n1().taint("k", "v", "NoSchedule"), kUpdateNodeTaint},
      {"uncordoned", n1().unschedulable(), n1(), kUpdateNodeTaint},
      {"cordoned helps nobody", n1(), n1().unschedulable(), 0},
      {"an annotation", n1(), n1().annotation("a", "b"), kUpdateNodeAnnotation},
      {"a condition", n1(), n1().condition("Ready", "True"), kUpdateNodeCondition},
      {"a condition's status", n1().condition("Ready", "True"), n1().condition("Ready", "Unknown"),
       kUpdateNodeCondition},
      {"a feature", n1(), n1().feature("F"), kUpdateNodeDeclaredFeature},
      {"a feature less", n1().feature("F").feature("G"), n1().feature("G"), kUpdateNodeDeclaredFeature},
      {"a feature for another", n1().feature("F"), n1().feature("G"), kUpdateNodeDeclaredFeature},
      {"another kind of device", n1(), n1().allocatable("example.com/gpu", "1"), kUpdateNodeAllocatable},
      {"a label's value", n1().label("disk", "hdd"), n1().label("disk", "ssd"), kUpdateNodeLabel},
      {"a label less", n1().label("disk", "hdd"), n1(), kUpdateNodeLabel},
      {"a taint's value", n1().taint("k", "v", "NoSchedule"), n1().taint("k", "w", "NoSchedule"),
       kUpdateNodeTaint},
      {"a taint less", n1().taint("k", "v", "NoSchedule"), n1(), kUpdateNodeTaint},
      {"two at the same time", n1(), n1().zone("a").taint("k", "v", "NoSchedule"),
       kUpdateNodeLabel | kUpdateNodeTaint},
  };
  for (const auto& c : cases) EXPECT_EQ(node_changes(c.before, c.after), c.changes) << c.name;
}

TEST(EventHint, MatchesEventsOfItsKind) {
  const EventHint labels{EventResource::node, kAdd | kUpdateNodeLabel, nullptr};
  EXPECT_TRUE(labels.matches({EventResource::node, kAdd}));
  EXPECT_TRUE(labels.matches({EventResource::node, kUpdateNodeLabel | kUpdateNodeTaint}));
  EXPECT_FALSE(labels.matches({EventResource::node, kUpdateNodeTaint}));
  EXPECT_FALSE(labels.matches({EventResource::node, kUpdateOther}));
  EXPECT_FALSE(labels.matches({EventResource::assigned_pod, kAdd}));
  const EventHint any_update{EventResource::persistent_volume, kUpdate, nullptr};
  EXPECT_TRUE(any_update.matches({EventResource::persistent_volume, kUpdateOther}));
  EXPECT_TRUE(any_update.matches({EventResource::persistent_volume, kUpdateNodeLabel}));
  EXPECT_FALSE(any_update.matches({EventResource::persistent_volume, kAdd | kDelete}));
  EXPECT_TRUE(
      (EventHint{EventResource::wild_card, kAll, nullptr}).matches({EventResource::service, kDelete}));
  const EventHint any_add{EventResource::wild_card, kAdd, nullptr};
  EXPECT_TRUE(any_add.matches({EventResource::service, kAdd}));
  EXPECT_FALSE(any_add.matches({EventResource::service, kDelete}));
  const EventHint one_update{EventResource::wild_card, kUpdateNodeTaint, nullptr};
  EXPECT_TRUE(one_update.matches({EventResource::node, kUpdateNodeTaint}));
  EXPECT_FALSE(one_update.matches({EventResource::node, kUpdateOther}));
}

}  // namespace
}  // namespace podium::framework
