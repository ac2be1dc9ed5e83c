// Where the replicas of a question go: counted by zone, and together in one domain.
#include "explain/answer/answer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;
using unit::ask;
using unit::web;
using Names = std::vector<std::string>;

cluster::Snapshot two_zones() {
  cluster::Snapshot snapshot;
  for (const auto& [name, zone, cpu] :
       {std::tuple{"a1", "zone-a", "4"}, {"a2", "zone-a", "4"}, {"b1", "zone-b", "7"}, {"c1", "", "20"}}) {
    auto made = node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "110");
    if (*zone) made.zone(zone);
    snapshot.set_node(made.ptr());
  }
  return snapshot;
}

std::vector<std::string> zones_of(const ReportStatus& status) {
  std::vector<std::string> out;
  for (const auto& zone : status.answer->zones)
    out.push_back(fmt::format("{} {} ({} now)", zone.name, zone.count, zone.now));
  return out;
}

TEST(Answer, CountsEachZoneOfTheNodesNextToThePodsThatAreThereNow) {
  auto snapshot = two_zones();
  for (const auto* name : {"one", "two"})
    unit::run_pod(snapshot, pod(name).ns("shop").owner("ReplicaSet", "web").req("cpu", "1").node("b1"));
  unit::run_pod(snapshot, pod("other").ns("shop").owner("ReplicaSet", "other").node("a1"));
  const auto set = [](const char* more) {
    return fmt::format(
        R"({{"template": {{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {{"name": "web"}},
        "spec": {{"replicas": 4, "selector": {{"matchLabels": {{"app": "web"}}}}, "template": {{
          "metadata": {{"labels": {{"app": "web"}}}}, "spec": {{{} "containers": [{{"name": "c", "image": "i",
            "resources": {{"requests": {{"cpu": "1"}}}}}}]}}}}}}}}}})",
        more);
  };
  const auto in_zone_a = ask(set(R"("nodeSelector": {"topology.kubernetes.io/zone": "zone-a"},)"), snapshot);
  EXPECT_EQ(zones_of(in_zone_a), (Names{"zone-a 4 (0 now)", "zone-b 0 (2 now)"}));
  EXPECT_EQ(in_zone_a.answer->zones_total, 2u);
  const auto nowhere = ask(set(R"("nodeSelector": {"kubernetes.io/hostname": "c1"},)"), snapshot);
  EXPECT_EQ(zones_of(nowhere), (Names{"zone-a 0 (0 now)", "zone-b 0 (2 now)"})) << "c1 is in no zone";
  EXPECT_TRUE(zones_of(ask(web(R"("replicas": 1)"), snapshot)).empty()) << "one pod has its node";
}

TEST(Answer, ZonesOfNodesThatAChangeAddsCountToo) {
  const auto status = ask(web(R"("replicas": 3, "changes": [
      {"type": "LabelNode", "nodeName": "c1", "labels": {"topology.kubernetes.io/zone": "zone-c"}},
      {"type": "RemoveNode", "nodeName": "b1"}, {"type": "CordonNode", "nodeName": "a1"},
      {"type": "CordonNode", "nodeName": "a2"}])"),
                          two_zones());
  EXPECT_EQ(zones_of(status), (Names{"zone-c 3 (0 now)", "zone-a 0 (0 now)"}));
}

TEST(Answer, TheZonesWithMostReplicasAreListed) {
  cluster::Snapshot snapshot;
  for (int i = 0; i < 20; ++i) {
    const auto zone = fmt::format("zone-{:02}", i);
    snapshot.set_node(node("n" + zone)
                          .zone(zone)
                          .cap("cpu", i < 4 ? "1" : "2")
                          .cap("memory", "8Gi")
                          .cap("pods", "110")
                          .ptr());
  }
  const auto status = ask(web(R"("replicas": 36)"), snapshot);
  const auto zones = zones_of(status);
  ASSERT_EQ(zones.size(), 16u);
  EXPECT_EQ(zones.front(), "zone-04 2 (0 now)");
  EXPECT_EQ(zones.back(), "zone-19 2 (0 now)");
  EXPECT_EQ(status.answer->zones_total, 20u);
}

TEST(Answer, AGroupFitsTogetherInADomain) {
  const auto together = [&](int least) {
    return ask(web(fmt::format(R"("minCount": {}, "topologyKey": "topology.kubernetes.io/zone")", least)),
               two_zones());
  };
  const auto eight = together(8);
  EXPECT_EQ(eight.outcome, "Fits");
  ASSERT_TRUE(eight.answer->group);
  EXPECT_TRUE(eight.answer->group->fits);
  EXPECT_EQ(eight.answer->group->domain, "zone-a");
  ASSERT_EQ(eight.answer->group->domains.size(), 2u);
  EXPECT_EQ(eight.answer->group->domains[1].name, "zone-b");
  EXPECT_EQ(eight.answer->group->domains[1].fitting, 7u);
  EXPECT_EQ(eight.answer->group->domains[1].missing, 1u);

  const auto nine = together(9);
  EXPECT_EQ(nine.outcome, "DoesNotFit") << "nine fit, but in no zone";
  EXPECT_EQ(nine.answer->fitting, 9u);
  EXPECT_FALSE(nine.answer->group->fits);
  EXPECT_EQ(nine.answer->group->domain, "");
}

TEST(Answer, AGroupWithoutADomainFitsInTheCluster) {
  EXPECT_EQ(ask(web(R"("minCount": 35)"), two_zones()).outcome, "Fits");
  const auto more = ask(web(R"("minCount": 36)"), two_zones());
  EXPECT_EQ(more.outcome, "DoesNotFit");
  EXPECT_EQ(more.answer->fitting, 35u);
  EXPECT_EQ(ask(web(R"("minCount": 30, "replicas": 40)"), two_zones()).outcome, "PartlyFits");
}

}  // namespace
}  // namespace podium::explain
