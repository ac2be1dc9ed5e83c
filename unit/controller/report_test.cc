// The projection of decisions onto report statuses, and their JSON within the schema's bounds.
#include "controller/report.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <map>
#include <string>
#include <vector>

#include "scheduler/config/config.h"
#include "unit/controller/served_api.h"
#include "unit/support/builders.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
using test::node;
using test::pod;
namespace json = boost::json;

framework::Decision decide(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  const auto info = cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
  return framework::evaluate(*info, snapshot, *unit::default_config().profiles[0]);
}

test::NodeBuilder machine(const std::string& name, std::string_view cpu = "4") {
  return node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "110");
}

cluster::Snapshot snapshot_of(std::initializer_list<test::NodeBuilder> nodes) {
  cluster::Snapshot snapshot;
  for (const auto& n : nodes) snapshot.set_node(n.ptr());
  return snapshot;
}

// Rejections as "plugin: reason: nodes: examples".
std::vector<std::string> lines(const std::vector<ReportRejection>& rejections) {
  std::vector<std::string> out;
  for (const auto& r : rejections) {
    auto line = r.plugin + ": " + r.reason + ": " + std::to_string(r.nodes) + ":";
    for (const auto& example : r.examples) line += " " + example;
    out.push_back(std::move(line));
  }
  return out;
}

// --- project ---

TEST(Project, TotalsAreTheWeightedSumsOfTheStrategies) {
  auto snapshot = snapshot_of(
      {machine("n1", "2").zone("a"), machine("n2", "4").zone("a").label("disk", "ssd"),
       machine("n3", "16").zone("b").taint("soft", "", "PreferNoSchedule"), machine("n4", "1").zone("b")});
  snapshot.add_pod(cluster::make_pod_info(pod("db").label("app", "db").req("cpu", "1").node("n3").ptr()));
  const auto web = pod("web")
                       .req("cpu", "1500m")
                       .prefer_node(7, test::node_term({test::in("disk", {"ssd"})}))
                       .prefer_affinity(30, test::term("topology.kubernetes.io/zone").label("app", "db"))
                       .build();
  const auto status = project(decide(web, snapshot), snapshot);

  EXPECT_EQ(status.nodes_total, 4u);
  EXPECT_EQ(status.nodes_evaluated, 4u);
  EXPECT_EQ(status.nodes_feasible, 3u);
  std::map<std::string, std::int64_t> sums, totals;
  for (const auto& strategy : status.strategies) {
    ASSERT_EQ(strategy.top_nodes.size(), 3u) << strategy.strategy;
    for (const auto& [host, score] : strategy.top_nodes) {
      EXPECT_GE(score, 0);
      EXPECT_LE(score, 100);
      sums[host] += strategy.weight * score;
    }
  }
  for (const auto& [host, score] : status.top_nodes) totals[host] = score;
  EXPECT_EQ(sums, totals);
  ASSERT_EQ(status.top_nodes.size(), 3u);
  EXPECT_EQ(status.node, status.top_nodes[0].host);
  EXPECT_GT(status.top_nodes[0].score, status.top_nodes[1].score);
  EXPECT_GT(status.top_nodes[1].score, status.top_nodes[2].score);
  EXPECT_EQ(status.message, "");
  EXPECT_EQ(lines(status.rejections), std::vector<std::string>{"NodeResourcesFit: Insufficient cpu: 1: n4"});
}

TEST(Project, BestNodesAreBoundedAndTiesGoByName) {
  cluster::Snapshot snapshot;
  for (int i = 30; i > 10; --i) snapshot.set_node(machine("n" + std::to_string(i)).ptr());
  const auto status = project(decide(pod("web").req("cpu", "1"), snapshot), snapshot);
  const auto hosts = [](const std::vector<HostScore>& scores) {
    std::vector<std::string> names;
    for (const auto& score : scores) names.push_back(score.host);
    return names;
  };
  EXPECT_EQ(hosts(status.top_nodes),
            (std::vector<std::string>{"n11", "n12", "n13", "n14", "n15", "n16", "n17", "n18", "n19", "n20"}));
  ASSERT_FALSE(status.strategies.empty());
  for (const auto& strategy : status.strategies) {
    EXPECT_EQ(hosts(strategy.top_nodes), (std::vector<std::string>{"n11", "n12", "n13", "n14", "n15"}));
  }
}

TEST(Project, RejectionsAreGroupedMostNodesFirst) {
  const auto snapshot =
      snapshot_of({machine("t1").taint("gpu", "", "NoSchedule"), machine("n4", "1"), machine("n3", "1"),
                   machine("n2", "1"), machine("n1", "1"), machine("off").unschedulable()});
  const auto status = project(decide(pod("web").req("cpu", "2"), snapshot), snapshot);
  EXPECT_EQ(lines(status.rejections),
            (std::vector<std::string>{"NodeResourcesFit: Insufficient cpu: 4: n1 n2 n3",
                                      "NodeUnschedulable: node(s) were unschedulable: 1: off",
                                      "TaintToleration: node(s) had untolerated taint(s): 1: t1"}));
  EXPECT_EQ(status.nodes_feasible, 0u);
  EXPECT_EQ(status.node, "");
  EXPECT_TRUE(status.top_nodes.empty());
  EXPECT_TRUE(status.strategies.empty());
  EXPECT_TRUE(status.message.starts_with("0/6 nodes are available: ")) << status.message;
}

TEST(Project, LongTextsAreCutBetweenCharacters) {
  const std::string euro = "\u20ac";  // three bytes
  const std::string a(8190, 'a');
  struct Case {
    const char* name;
    std::string message, cut;
  };
  const Case cases[] = {
      {"at the bound", a + "bc", a + "bc"},
      {"over the bound", a + "bcd", a + "bc"},
      {"a character over the bound is left out whole", a + euro, a},
      {"one that ends at the bound stays", a.substr(1) + euro + "d", a.substr(1) + euro},
  };
  for (const auto& c : cases) {
    framework::Decision decision;
    decision.message = c.message;
    EXPECT_EQ(project(decision, {}).message, c.cut) << c.name;
  }
}

TEST(Project, AFailureTakesThePlaceOfTheMessage) {
  framework::Decision decision;
  decision.message = "0/0 nodes are available";
  decision.error = "plugin \"X\" failed";
  EXPECT_EQ(project(decision, {}).message, "plugin \"X\" failed");
}

// --- to_json ---

TEST(ToJson, WhatADecisionDoesNotHaveIsNull) {
  EXPECT_EQ(json::value(to_json({})), json::parse(R"({
    "outcome": null, "profile": null, "node": null, "message": null, "decidedAt": null, "expiresAt": null,
    "preemption": null, "placements": null, "attempts": 0,
    "nodes": {"total": 0, "evaluated": 0, "feasible": 0},
    "topNodes": [], "strategies": [], "rejections": [], "conditions": [],
    "durations": {"evaluate": "0ns"}, "observedGeneration": 1})"));
}

TEST(ToJson, EverythingThatThereIs) {
  ReportStatus status;
  status.outcome = "PartlyFits";
  status.profile = "default-scheduler";
  status.node = "n1";
  status.message = "why \"not\"";
  status.decided_at = Wall(0s);
  status.expires_at = Wall(90s);
  status.attempts = 3;
  status.nodes_total = status.nodes_evaluated = 5;
  status.nodes_feasible = 2;
  status.top_nodes = {{"n1", 310}, {"n2", 300}};
  status.strategies = {{"TaintToleration", 3, {{"n1", 100}}}};
  status.rejections = {{"NodeName", "no match", 2, {"n3", "n4"}}, {"", "left out", 1, {"n5"}}};
  status.preemption = ReportStatus::Preempted{"n3", {{"shop", "old"}}};
  status.queued = 1500ms;
  status.evaluate = 41us;
  status.bind = 2ms;
  status.placements = {"n1", "n2"};
  status.conditions = {{"Accepted", false, "Invalid", "spec: required", Wall(60s)}};
  status.observed_generation = 2;
  EXPECT_EQ(json::value(to_json(status)), json::parse(R"({
    "outcome": "PartlyFits", "profile": "default-scheduler", "node": "n1", "message": "why \"not\"",
    "decidedAt": "1970-01-01T00:00:00Z", "expiresAt": "1970-01-01T00:01:30Z", "attempts": 3,
    "nodes": {"total": 5, "evaluated": 5, "feasible": 2},
    "topNodes": [{"host": "n1", "score": 310}, {"host": "n2", "score": 300}],
    "strategies": [{"strategy": "TaintToleration", "weight": 3, "topNodes": [{"host": "n1", "score": 100}]}],
    "rejections": [{"plugin": "NodeName", "reason": "no match", "nodes": 2, "examples": ["n3", "n4"]},
                   {"reason": "left out", "nodes": 1, "examples": ["n5"]}],
    "preemption": {"node": "n3", "victims": [{"namespace": "shop", "name": "old"}]},
    "durations": {"evaluate": "41us", "queued": "1.5s", "bind": "2ms"},
    "placements": ["n1", "n2"],
    "conditions": [{"type": "Accepted", "status": "False", "reason": "Invalid", "message": "spec: required",
                    "observedGeneration": 2, "lastTransitionTime": "1970-01-01T00:01:00Z"}],
    "observedGeneration": 2})"));
}

// --- format_duration ---

TEST(FormatDuration, ThreeDigitsAndAUnit) {
  struct Case {
    std::chrono::nanoseconds duration;
    const char* text;
  };
  const Case cases[] = {
      {0ns, "0ns"},        {999ns, "999ns"},  {1us, "1us"},         {41'250ns, "41.2us"},
      {1200us, "1.2ms"},   {999ms, "999ms"},  {1s, "1s"},           {1234ms, "1.23s"},
      {59'940ms, "59.9s"}, {999s, "999s"},    {1000s, "1000s"},     {12'345'600ms, "12346s"},
      {999'600ns, "1ms"},  {999'600us, "1s"}, {999'600ms, "1000s"},
  };
  for (const auto& c : cases) EXPECT_EQ(format_duration(c.duration), c.text) << c.duration.count();
}

}  // namespace
}  // namespace podium::controller
