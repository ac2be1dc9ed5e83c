// NodeNames: reports without the names of nodes.
#include "explain/report/node_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "explain/report/json.h"
#include "explain/report/reason_words.h"

namespace podium::explain {
namespace {

bool is_node(std::string_view word) { return word == "n1" || word == "n2" || word == "n3.example.com"; }

std::string without_names(std::string message, const std::vector<std::string>& kept = {}) {
  ReportStatus status;
  status.message = std::move(message);
  NodeNames(is_node, kept).withhold(status);
  return status.message;
}

TEST(NodeNames, InMessagesStandAliases) {
  struct Case {
    const char *message, *want;
  };
  const Case cases[] = {
      {"", ""},
      {"0/3 nodes are available: 3 Insufficient cpu.", "0/3 nodes are available: 3 Insufficient cpu."},
      {"would be placed on n1", "would be placed on withheld-1"},
      {"n2, then n1, then n2.", "withheld-1, then withheld-2, then withheld-1."},
      {"node \"n1\" and (n3.example.com)...", "node \"withheld-1\" and (withheld-2)..."},
      {"n3.example.com: n1:10250/n2", "withheld-1: withheld-2:10250/withheld-3"},
      {"n11 n1-new-1 xn1 n1_2 N1 example.com é", "n11 n1-new-1 xn1 n1_2 N1 example.com é"},
  };
  for (const auto& c : cases) EXPECT_EQ(without_names(c.message), c.want);
}

TEST(NodeNames, TheAskersOwnAreKept) {
  EXPECT_EQ(without_names("n1 and n2", {"n2"}), "withheld-1 and n2");
  ReportStatus status;
  status.answer.emplace().placements = {{"n2-new-1", 2}, {"n1-new-1", 1}};
  NodeNames(is_node, {"n2"}).withhold(status);
  EXPECT_EQ(status.answer->placements[0].node, "n2-new-1") << "made like a node that the asker named";
  EXPECT_EQ(status.answer->placements[1].node, "withheld-1");
}

TEST(NodeNames, PoolsAreNamedAfterNodes) {
  ReportStatus status;
  status.choice.emplace().node = "n1";
  status.devices = {{"c", "r", "d", "n1", "gpu-0"}, {"c", "r", "d", "rack-7", "nic-0"}};
  NodeNames(is_node).withhold(status);
  EXPECT_EQ(status.devices[0].pool, "withheld-1") << "as the node";
  EXPECT_EQ(status.devices[1].pool, "withheld-2");
}

TEST(NodeNames, APlacedPodKeepsItsPools) {
  ReportStatus status;
  status.outcome = kScheduled;
  status.choice.emplace().node = "n1";
  status.top_nodes = {{"n1", 7}, {"n2", 6}};
  status.devices = {{"c", "r", "d", "rack-7", "nic-0"}};
  withhold_node_names(status);
  EXPECT_EQ(status.choice->node, "n1");
  EXPECT_EQ(status.top_nodes[1].node, "withheld-1");
  EXPECT_EQ(status.devices[0].pool, "rack-7");
}

TEST(NodeNames, OneNodeHasOneAlias) {
  ReportStatus status;
  status.choice.emplace().node = "n1";
  status.top_nodes = {{"n1", 7}, {"n2", 6}};
  status.strategies = {{"NodeResourcesFit", 1, {{"n2", 9}, {"n1", 8}}, NodeLead{"n1", 3}}};
  status.message = "n2 is next";
  NodeNames(is_node).withhold(status);
  EXPECT_EQ(status.choice->node, "withheld-1");
  EXPECT_EQ(status.top_nodes[1].node, "withheld-2");
  EXPECT_EQ(status.strategies[0].top_nodes[0].node, "withheld-2");
  EXPECT_EQ(status.strategies[0].without->node, status.strategies[0].top_nodes[1].node);
  EXPECT_EQ(status.message, "withheld-2 is next");
}

TEST(NodeNames, DomainsAreNodesUnlessTheyArePlaces) {
  ReportStatus status;
  auto& group = status.answer.emplace().group.emplace();
  group.topology_key = "topology.kubernetes.io/zone";
  group.domain = "eu-1a";
  group.domains = {{"eu-1a", 3, 0}};
  NodeNames(is_node).withhold(status);
  EXPECT_EQ(group.domain, "eu-1a");
  group.topology_key = "kubernetes.io/hostname";
  group.domain = "host-of-n1";
  group.domains = {{"host-of-n2", 3, 0}, {"host-of-n1", 3, 0}};
  status.conditions = {{"Complete", true, "Fits", "3 fit together in host-of-n1"}};
  NodeNames(is_node).withhold(status);
  EXPECT_EQ(group.domains[0].name, "withheld-1");
  EXPECT_EQ(group.domain, "withheld-2");
  EXPECT_EQ(status.conditions[0].message, "3 fit together in withheld-2");
}

TEST(NodeNames, NoOtherNodeIsProposedForOneThatIsNotThere) {
  ReportStatus status;
  UnmetPart part{.from = "nodeName", .requirement = "n7", .values = {"n1", "n2"}, .values_total = 2};
  part.missing_node = "n7";
  status.rejections = {{.code = "NodeNotFound", .about = {{framework::Topic::node, "n7"}}, .parts = {part}}};
  status.answer.emplace().verdicts = {
      {.node = "n7", .code = kUnknownNode, .reasons = {no_node("n7", {"n1", "n2"})}}};
  NodeNames(is_node, {"n7"}).withhold(status);
  const auto& left = status.rejections[0].parts[0];
  EXPECT_TRUE(left.values.empty());
  EXPECT_EQ(left.missing_node, "n7");
  EXPECT_EQ(status.rejections[0].about[0].second, "n7");
  EXPECT_EQ(status.answer->verdicts[0].reasons[0], "there is no node n7");
}

// A node that the pod does not name, such as the one of its volume, which may no longer exist.
TEST(NodeNames, TheNodeOfAReasonIsWithheld) {
  ReportStatus status;
  status.rejections = {{.code = "VolumeNodeNotFound",
                        .reason = "the volume is on gone",
                        .about = {{framework::Topic::volume, "v"}, {framework::Topic::node, "gone"}}}};
  NodeNames(is_node).withhold(status);
  EXPECT_EQ(status.rejections[0].about[1].second, "withheld-1");
  EXPECT_EQ(status.rejections[0].reason, "the volume is on withheld-1");
}

// Zones are places. Values of other labels may be names of nodes.
TEST(NodeNames, PlacesOfVolumesAreKeptAndNodesAreNot) {
  ReportStatus status;
  ReportRejection rejection{.code = "VolumeAffinityMismatch", .nodes = 2};
  rejection.apart = {{"data", "pv-a", "topology.kubernetes.io/zone", {"eu-1a"}},
                     {"logs", "pv-b", "kubernetes.io/hostname", {"n1"}}};
  UnmetPart part{
      .from = "nodeSelector", .requirement = "onwer=n1", .missing_key = "onwer", .near = {"owner"}};
  rejection.parts = {part};
  status.rejections = {rejection};
  status.answer.emplace().verdicts = {
      {.node = "n7",
       .checks = {{.plugin = "NodeAffinity",
                   .passes = false,
                   .unmet = {{"nodeSelector", "owner=x", "owner", "n1", true}}}}}};
  NodeNames(is_node, {"n7"}).withhold(status);
  const auto& left = status.rejections[0];
  EXPECT_EQ(left.apart[0].values, std::vector<std::string>{"eu-1a"});
  EXPECT_TRUE(left.apart[1].values.empty());
  EXPECT_TRUE(left.parts[0].near.empty()) << "a label may have a node's name in its key";
  EXPECT_EQ(left.parts[0].missing_key, "onwer") << "the asker wrote it";
  const auto& unmet = status.answer->verdicts[0].checks[0].unmet[0];
  EXPECT_EQ(unmet.value, "");
  EXPECT_TRUE(unmet.has_label);
}

ReportStatus decision(const char* outcome) {
  ReportStatus status;
  status.outcome = outcome;
  status.choice.emplace().node = "n1";
  status.top_nodes = {{"n1", 7}, {"n2", 6}};
  status.rejections = {{.plugin = "P", .reason = "n4 is full", .nodes = 1, .examples = {"n4"}}};
  status.rejections[0].shortfall = {"cpu", "1", "n5"};
  status.rejections[0].taints = {"owner=n6:NoSchedule"};
  status.rejections[0].taints_total = 1;
  status.message = "pods \"web\" is already assigned to node \"n9\"";
  status.conditions = {{"Complete", false, outcome, status.message}};
  status.history = {{.outcome = kFailed, .reason = "node \"n9\" is gone"}};
  return status;
}

TEST(NodeNames, ADecisionKeepsTheNodeThatThePodIsOn) {
  auto placed = decision(kScheduled);
  placed.message = "";
  placed.conditions = {{"Complete", true, kScheduled, "placed on n1"}};
  withhold_node_names(placed);
  EXPECT_EQ(placed.choice->node, "n1");
  EXPECT_EQ(placed.conditions[0].message, "placed on n1");
  EXPECT_EQ(placed.rejections[0].reason, placed.rejections[0].examples[0] + " is full");
  const auto text = boost::json::serialize(to_json(placed));
  for (const char* name : {"n2", "n4", "n5", "n6", "n9"}) EXPECT_EQ(text.find(name), text.npos) << text;
  EXPECT_TRUE(placed.rejections[0].shortfall->node.starts_with("withheld-")) << text;
}

TEST(NodeNames, OfAFailedAttemptNoMessageIsLeft) {
  auto failed = decision(kFailed);
  withhold_node_names(failed);
  const auto text = boost::json::serialize(to_json(failed));
  for (const char* name : {"n1\"", "n2", "n4", "n9"}) EXPECT_EQ(text.find(name), text.npos) << text;
  EXPECT_THAT(failed.message, testing::HasSubstr("withheld"));
}

}  // namespace
}  // namespace podium::explain
