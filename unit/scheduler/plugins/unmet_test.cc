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

// By the count alone, a key that no node has looks like a value that no node has.
TEST(SelectorParts, ALabelThatNoNodeHasIsNamedWithSimilarOnes) {
  cluster::Snapshot snapshot;
  snapshot.set_node(
      node("a").label("disktype", "ssd").label("topology.kubernetes.io/zone", "eu-1a").label("x", "1").ptr());
  const auto part_of = [&](const char* key, const char* value) {
    const auto parts = selector_parts(pod("web").node_selector(key, value).build(), snapshot);
    return parts.at(0);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(part_of("disktpye", "ssd").missing_key, "disktpye");
  EXPECT_EQ(part_of("disktpye", "ssd").near, Names{"disktype"});
  EXPECT_EQ(part_of("DiskType", "ssd").near, Names{"disktype"});
  EXPECT_EQ(part_of("disk", "ssd").near, Names{"disktype"});
  EXPECT_EQ(part_of("failure-domain.beta.kubernetes.io/zone", "eu-1a").near,
            Names{"topology.kubernetes.io/zone"});
  EXPECT_EQ(part_of("y", "1").near, Names()) << "each letter resembles each other";
  EXPECT_EQ(part_of("rack", "7").near, Names());
  EXPECT_EQ(part_of("rack", "7").missing_key, "rack");
  EXPECT_EQ(part_of("disktype", "SSD").missing_key, "") << "nodes have the label";
  EXPECT_EQ(part_of("disktype", "SSD").near, Names{"ssd"});
  EXPECT_EQ(part_of("disktype", "sad").near, Names()) << "the only value is seen";
  for (int i = 0; i < 9; ++i)
    snapshot.set_node(node("b" + std::to_string(i)).label("model", "tesla-a10" + std::to_string(i)).ptr());
  EXPECT_EQ(part_of("model", "tesla-a108x").near.front(), "tesla-a108") << "not all values are listed";
}

TEST(Resembling, IgnoresTheCaseAndShortWords) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(resembling("nvidia.com/gpus", {"amd.com/gpu", "nvidia.com/gpu"}), Names{"nvidia.com/gpu"});
  EXPECT_EQ(resembling("GPU", {"gpu", "cpu"}), Names{"gpu"});
  EXPECT_EQ(resembling("", {"gpu"}), Names());
  EXPECT_EQ(resembling("gpu", Names(10'000, "gpu")), Names()) << "of too many";
}

TEST(SelectorParts, ALabelOfATermThatNoNodeHasIsNamed) {
  using Op = api::Requirement::Op;
  const auto first_of = [](const std::vector<api::Requirement>& requirements) {
    api::NodeSelectorTerm term, other;
    term.match_expressions = requirements;
    other.match_expressions = {{"zone", Op::in, {"eu-1a"}}};
    api::Pod asks;
    asks.node_affinity.required = {{term, other}};
    return selector_parts(asks, three_zones()).at(0);
  };
  const auto two = first_of({{"disk", Op::in, {"ssd"}}, {"zoen", Op::exists, {}}});
  EXPECT_EQ(two.missing_key, "zoen");
  EXPECT_EQ(first_of({{"disk", Op::in, {"nvme"}}}).values, (std::vector<std::string>{"hdd", "ssd"}));
  EXPECT_EQ(first_of({{"rack", Op::does_not_exist, {}}, {"disk", Op::in, {"nvme"}}}).missing_key, "");
}

TEST(UnmetOn, NamesThePartsThatTheNodeFailsAndWhatItHas) {
  using Op = api::Requirement::Op;
  const auto snapshot = three_zones();
  auto asks = pod("web").node_selector("disk", "ssd").node_selector("zone", "eu-1b").build();
  const auto on = [&](const char* name) { return unmet_on(asks, *snapshot.find_row(name), snapshot); };
  ASSERT_EQ(on("b").size(), 1u);
  EXPECT_EQ(on("b")[0].text, "disk=ssd");
  EXPECT_EQ(on("b")[0].value, "hdd");
  EXPECT_EQ(on("c")[0].key, "disk");
  EXPECT_EQ(on("c")[0].value, std::nullopt) << "it does not have the label";
  api::NodeSelectorTerm term;
  term.match_expressions = {{"disk", Op::in, {"ssd"}}, {"zone", Op::in, {"eu-1b"}}};
  asks.node_selector = {};
  asks.node_affinity.required = {{term}};
  ASSERT_EQ(on("a").size(), 1u) << "of one term, each requirement is a part";
  EXPECT_EQ(on("a")[0].text, "zone In [eu-1b]");
  EXPECT_EQ(on("a")[0].value, "eu-1a");
  api::NodeSelectorTerm other;
  other.match_expressions = {{"disk", Op::in, {"nvme"}}};
  asks.node_affinity.required = {{term, other}};
  ASSERT_EQ(on("a").size(), 2u);
  EXPECT_EQ(on("a")[0].from, SelectorPart::From::node_affinity_term);
  EXPECT_EQ(on("a")[0].key, "zone");
  EXPECT_EQ(on("a")[1].value, "ssd");
  other.match_expressions = {{"disk", Op::exists, {}}};
  asks.node_affinity.required = {{term, other}};
  EXPECT_TRUE(on("a").empty()) << "one of the terms is enough";
}

TEST(SelectorParts, AreBounded) {
  api::Pod asks;
  for (int i = 0; i < 1000; ++i) asks.node_selector.set("k" + std::to_string(i), "v");
  EXPECT_EQ(selector_parts(asks, three_zones()).size(), kSelectorParts);
}

}  // namespace
}  // namespace podium::plugins
