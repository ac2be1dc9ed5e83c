// The parts of a node selector and a required node affinity, each with the nodes that meet it.
#include "scheduler/plugins/shared/unmet.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "unit/support/builders.h"

namespace podium::plugins {
namespace {

using test::node;
using test::pod;

cluster::Snapshot three_zones() {
  cluster::Snapshot snapshot;
  snapshot.set_node(node("a").label("zone", "eu-1a").label("disk", "ssd").ptr());
  snapshot.set_node(node("b").label("zone", "eu-1b").label("disk", "hdd").ptr());
  snapshot.set_node(node("c").label("zone", "eu-1b").ptr());
  return snapshot;
}

TEST(SelectorParts, CountTheNodesOfEachPartAndNameTheValuesWhereThereAreNone) {
  const auto asks = pod("web").node_selector("disk", "ssd").node_selector("zone", "eu-9z").build();
  const auto parts = selector_parts(asks, three_zones());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].text, "disk=ssd");
  EXPECT_EQ(parts[0].nodes, 1u);
  EXPECT_TRUE(parts[0].values.empty()) << "some node meets it";
  EXPECT_EQ(parts[1].text, "zone=eu-9z");
  EXPECT_EQ(parts[1].nodes, 0u);
  EXPECT_EQ(parts[1].values, (std::vector<std::string>{"eu-1b", "eu-1a"})) << "those of most nodes first";
  EXPECT_EQ(parts[1].values_total, 2u);
}

TEST(SelectorParts, ASingleTermIsTakenApartAndSeveralAreNot) {
  using Op = api::Requirement::Op;
  api::Pod asks;
  api::NodeSelectorTerm term;
  term.match_expressions = {{"disk", Op::exists, {}}, {"zone", Op::in, {"eu-1a", "eu-1c"}}};
  asks.node_affinity.required = {{term}};
  auto parts = selector_parts(asks, three_zones());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].from, SelectorPart::From::node_affinity);
  EXPECT_EQ(parts[0].text, "disk Exists");
  EXPECT_EQ(parts[0].nodes, 2u);
  EXPECT_EQ(parts[1].text, "zone In [eu-1a, eu-1c]");
  EXPECT_EQ(parts[1].nodes, 1u);
  asks.node_affinity.required = {{term, term}};
  parts = selector_parts(asks, three_zones());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].from, SelectorPart::From::node_affinity_term);
  EXPECT_EQ(parts[0].text, "disk Exists, zone In [eu-1a, eu-1c]");
  EXPECT_EQ(parts[0].nodes, 1u);
}

cluster::Snapshot three_hosts() {
  cluster::Snapshot snapshot;
  for (const auto* name : {"general-01", "general-02", "gpu-a"})
    snapshot.set_node(node(name).label("kubernetes.io/hostname", name).ptr());
  return snapshot;
}

TEST(SelectorParts, ANodeThatIsNotThereIsNamedWithSimilarOnes) {
  using Op = api::Requirement::Op;
  const auto named = [](auto change) {
    api::Pod asks;
    change(asks);
    return asks;
  };
  const auto by_field = [&](Op op, std::vector<std::string> names) {
    return named([&](api::Pod& asks) {
      api::NodeSelectorTerm term;
      term.match_fields = {{"metadata.name", op, std::move(names)}};
      asks.node_affinity.required = {{term}};
    });
  };
  struct Case {
    api::Pod asks;
    const char* text;
    const char* missing;
  };
  const Case cases[] = {
      {named([](api::Pod& asks) { asks.node_name = "general-1"; }), "general-1", "general-1"},
      {by_field(Op::in, {"general-1"}), "metadata.name In [general-1]", "general-1"},
      {by_field(Op::in, {"general-1", "general-7"}), "metadata.name In [general-1, general-7]", "general-1"},
      {by_field(Op::not_in, {"general-01", "general-02", "gpu-a"}),
       "metadata.name NotIn [general-01, general-02, gpu-a]", ""},
      {named([](api::Pod& asks) { asks.node_selector.set("kubernetes.io/hostname", "general-1"); }),
       "kubernetes.io/hostname=general-1", "general-1"},
      {named([](api::Pod& asks) {
         api::NodeSelectorTerm term;
         term.match_expressions = {{"kubernetes.io/hostname", Op::in, {"general-1"}}};
         asks.node_affinity.required = {{term}};
       }),
       "kubernetes.io/hostname In [general-1]", "general-1"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto parts = selector_parts(c.asks, three_hosts());
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].text, c.text);
    EXPECT_EQ(parts[0].nodes, 0u);
    EXPECT_EQ(parts[0].missing_node, c.missing);
    if (*c.missing) {
      EXPECT_EQ(parts[0].values, (std::vector<std::string>{"general-01", "general-02"}));
    }
  }
  // The node is there, and has another label.
  auto snapshot = three_hosts();
  snapshot.set_node(node("general-03").label("kubernetes.io/hostname", "other").ptr());
  const auto parts = selector_parts(
      named([](api::Pod& asks) { asks.node_selector.set("kubernetes.io/hostname", "general-03"); }),
      snapshot);
  EXPECT_EQ(parts.at(0).missing_node, "");
  EXPECT_EQ(parts.at(0).values_total, 4u);
}

TEST(SelectorParts, AreBounded) {
  api::Pod asks;
  for (int i = 0; i < 1000; ++i) asks.node_selector.set("k" + std::to_string(i), "v");
  EXPECT_EQ(selector_parts(asks, three_zones()).size(), kSelectorParts);
}

}  // namespace
}  // namespace podium::plugins
