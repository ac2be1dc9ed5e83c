// The topology label that nodes lack is named by spread constraints and by pod affinity, as kube-scheduler's
// texts do not.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <string>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation.h"
#include "scheduler/framework/evaluation_memo.h"
#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::missing_label_test {
namespace {

using podium::test::spread;
using podium::test::term;

std::string label_of(const framework::Verdict& verdict) {
  const auto& reason = verdict.reasons.front();
  return fmt::format("{} {}", framework::row_of(reason.code).name,
                     framework::named(reason.about, framework::Topic::label));
}

// By node, of the filter on all nodes and on each alone.
Answers labels(const PluginPtr& plugin, const api::Pod& pod, const Snapshot& snapshot) {
  const auto incoming = info(pod);
  const auto prepared =
      dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*incoming, snapshot);
  Answers out;
  auto nodes = snapshot.present();
  framework::Rejections rejections(snapshot.chunks());
  prepared.filter->filter(nodes, rejections);
  snapshot.present().each([&](cluster::Row row) {
    if (nodes.test(row)) return;
    const auto words = label_of(rejections.verdict(rejections.id(row)));
    out[std::string(snapshot.node_name(row))] = words;
    const auto alone = prepared.filter->check(row, {});
    EXPECT_EQ(alone ? label_of(*alone) : "fits", words);
  });
  return out;
}

Snapshot racks() {
  return snapshot_of(
      {node("a").label("rack", "1").label("row", "x"), node("b").label("rack", "1"), node("c")},
      {pod("db").label("app", "db").node("a")});
}

TEST(MissingLabel, OfASpreadConstraint) {
  const auto asks = pod("web").label("app", "web").spread(spread("rack")).spread(spread("row")).build();
  EXPECT_EQ(labels(make(make_pod_topology_spread), asks, racks()),
            (Answers{{"b", "TopologyLabelMissing row"}, {"c", "TopologyLabelMissing rack"}}));
}

// The least count is 0 only because domains are missing.
TEST(MissingLabel, OfTooFewDomains) {
  const auto web = [](const char* name) { return pod(name).label("app", "web"); };
  const auto asks =
      web("web")
          .spread(spread("rack").min_domains(3).selector(podium::test::select_labels({{"app", "web"}})))
          .build();
  const Nodes nodes{node("a").label("rack", "1"), node("b").label("rack", "2")};
  const auto spreads = make(make_pod_topology_spread);
  EXPECT_EQ(labels(spreads, asks, snapshot_of(nodes, {web("a").node("a"), web("b").node("b")})),
            (Answers{{"a", "TooFewDomains rack"}, {"b", "TooFewDomains rack"}}));
  EXPECT_EQ(labels(spreads, asks, snapshot_of(nodes, {web("a").node("a")})),
            (Answers{{"a", "TopologySpreadSkew "}}))
      << "another domain has none";
}

TEST(MissingLabel, OfPodAffinity) {
  const auto to_db = [](const char* key) { return term(key).label("app", "db"); };
  const auto affinity = make(make_inter_pod_affinity);
  EXPECT_EQ(labels(affinity, pod("web").affinity(to_db("rack")), racks()),
            (Answers{{"c", "AffinityLabelMissing rack"}}));
  EXPECT_EQ(labels(affinity, pod("web").affinity(to_db("rack")).affinity(to_db("row")), racks()),
            (Answers{{"b", "AffinityLabelMissing row"}, {"c", "AffinityLabelMissing rack"}}));
  EXPECT_EQ(labels(affinity, pod("web").affinity(term("rack").label("app", "none")), racks()),
            (Answers{{"a", "PodAffinity "}, {"b", "PodAffinity "}, {"c", "AffinityLabelMissing rack"}}));
}

// A pod may name thousands of keys. Each named one is a verdict of its own.
TEST(MissingLabel, IsNamedForTheFirstKeysOnly) {
  auto asks = pod("web");
  for (int i = 0; i < 100; ++i) asks.affinity(term("key" + std::to_string(i)).label("app", "db"));
  framework::Rejections rejections(racks().chunks());
  const auto snapshot = racks();
  const auto incoming = info(asks);
  const auto plugin = make(make_inter_pod_affinity);
  const auto prepared =
      dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*incoming, snapshot);
  auto nodes = snapshot.present();
  prepared.filter->filter(nodes, rejections);
  EXPECT_LT(rejections.verdicts().size(), 16u);
  EXPECT_TRUE(nodes.none());
}

// If no node has the key, the key is all in which two pods differ.
TEST(MissingLabel, IsNotThatOfTheDecisionBefore) {
  const auto plugin = make(make_pod_topology_spread);
  framework::Profile profile;
  const auto* filter = dynamic_cast<const framework::FilterPlugin*>(plugin.get());
  profile.pre_filters.push_back({std::string(plugin->name()), filter});
  profile.filters.push_back({std::string(plugin->name()), filter});
  const auto snapshot = racks();
  framework::EvaluationMemo memo;
  const framework::EvaluationMemo::Use use(memo);
  for (const char* key : {"zone", "region", "zone"}) {
    const auto incoming = info(pod("web").label("app", "web").spread(spread(key)));
    const auto decision = framework::evaluate(*incoming, snapshot, profile);
    const auto groups = framework::group_rejections(decision, snapshot, 1);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(framework::named(groups[0].reason.about, framework::Topic::label), key);
  }
}

}  // namespace
}  // namespace podium::plugins::test::missing_label_test
