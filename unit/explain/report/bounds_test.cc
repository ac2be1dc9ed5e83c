// Reports with full lists are cut to their bounds, and usual ones stay as they are.
#include "explain/report/bounds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "explain/report/json.h"
#include "unit/explain/report/forms.h"

namespace podium::explain {
namespace {

// A report with full lists and names of maximum length.
ReportStatus full(char letter) {
  const std::string name(253, 'n'), text(8'000, letter);
  ReportStatus s;
  s.outcome = "Scheduled";
  s.profile = name;
  s.message = text;
  s.choice = {name, 12'345, 20, 12};
  s.decided_at = s.expires_at = Wall(1'800'000'000s);
  s.attempts = 1'000'000;
  s.node_counts = {100'000, 100'000, 100'000};
  for (int i = 0; i < 32; ++i) {
    s.strategies.push_back({name, 1'000'000, {}});
    for (int n = 0; n < 5; ++n) s.strategies.back().top_nodes.push_back({name, 100});
  }
  for (int i = 0; i < 10; ++i) s.top_nodes.push_back({name, 12'345'678, std::vector<std::int64_t>(32, 100)});
  for (int i = 0; i < 16; ++i) {
    auto rejection = insufficient(100'000, true);
    rejection.plugin = name;
    rejection.reason = text.substr(0, 1024);
    rejection.shortfall = {name, "1000Gi", name};
    rejection.similar = std::vector(3, name);
    rejection.taints = std::vector(3, text.substr(0, 392));
    rejection.taints_total = 100'000;
    rejection.near_toleration = NearToleration{"value", name, name, name};
    rejection.examples = {name, name, name};
    rejection.devices = std::vector(
        8, framework::DeviceTally{name, name.substr(0, 127), 640'000, 1, 1, 1, {name, name, name}});
    s.rejections.push_back(rejection);
  }
  s.rejections_total = 500;
  s.findings = std::vector(16, Finding{text.substr(0, 256), text.substr(0, 512)});
  s.devices = std::vector(32, framework::GivenDevice{name, name.substr(0, 127), name, name, name, true});
  s.devices_total = 600;
  s.preemption = Preempted{name, std::vector(kVictims, NamespacedName{std::string(63, 's'), name}), 400};
  s.preemption->violated_budgets = std::vector(kViolatedBudgets, s.preemption->victims.front());
  s.preemption->violated_budgets_total = 300;
  s.scheduling_gates = std::vector(16, name);
  s.gated = std::vector(3, GatedTime{Wall(1'800'000'000s), Wall(1'800'000'000s), std::vector(16, text)});
  s.history =
      std::vector(5, ReportAttempt{Wall(1'800'000'000s), "Unschedulable", text.substr(0, 100), 100'000});
  s.queued = s.evaluate = s.bind = 1'000'000s;
  s.pods_version = ~std::uint64_t{0};
  s.conditions = {complete(true, "Scheduled", text)};
  return s;
}

TEST(BoundedJson, IsNeverLongerWhateverTheNamesAndTexts) {
  const std::string name(253, 'n');
  constexpr std::size_t most = 7'000;     // about the bytes that remain for the status with such names
  for (const char letter : {'t', '"'}) {  // '"' takes two bytes in JSON
    const auto text = bounded_json(full(letter), most);
    EXPECT_LE(text.size(), most);
    const auto kept = json::parse(text);
    EXPECT_EQ(kept.at("choice").at("nodeName").as_string(), name);
    EXPECT_EQ(kept.at("topNodes").at(0).at("nodeName").as_string(), name);
    EXPECT_EQ(kept.at("rejectionsTotal"), 500);
    EXPECT_EQ(kept.at("preemption").at("victimsTotal"), 400);
    EXPECT_EQ(kept.at("preemption").at("violatedBudgetsTotal"), 300);
    EXPECT_EQ(kept.at("devicesTotal"), 600);
  }
  EXPECT_EQ(json::parse(bounded_json(scheduled(), most)), fixture("scheduled"))
      << "nothing is cut needlessly";
}

// A victim may be named in this report only.
TEST(BoundedJson, NamesOfVictimsStayBeforeWhatSaysMoreOfTheChoice) {
  constexpr std::size_t most = kReportBytes - kOtherBytes;
  auto status = scheduled();
  status.preemption = Preempted{.node = "n1", .total = 110};
  for (int i = 0; i < 110; ++i)
    status.preemption->victims.push_back({"shop", fmt::format("web-7d8f9c6b54-{:05}", i)});
  const auto text = bounded_json(status, most);
  EXPECT_LE(text.size(), most);
  const auto kept = json::parse(text);
  EXPECT_GE(kept.at("preemption").at("victims").as_array().size(), 64u);
  EXPECT_EQ(kept.at("preemption").at("victimsTotal"), 110);
  EXPECT_EQ(kept.at("topNodes"), fixture("scheduled").at("topNodes"));
}

// An answer with full lists.
ReportStatus full_answer(char letter, const std::string& name) {
  auto s = full(letter);
  s.outcome = "PartlyFits";
  s.findings.clear();  // of a refusal
  s.scheduling_gates.clear();
  s.gated.clear();
  s.history.clear();
  const std::string text(1024, letter);
  auto& a = s.answer.emplace();
  a.asked = a.fitting = 10'000;
  std::vector<std::string> nodes;
  for (int i = 0; i < 500; ++i) nodes.push_back(fmt::format("{:03}{}", i, name.substr(3)));
  set_placements(a, nodes);
  std::vector<ZonePlacements> zones;
  for (int i = 0; i < 40; ++i) zones.push_back({fmt::format("{:02}{}", i, name.substr(2, 61)), 1, 1});
  set_zones(a, std::move(zones));
  a.first_failure = FirstFailure{.replica = 10'000,
                                 .reason = text,
                                 .message = std::string(8'000, letter),
                                 .node_counts = s.node_counts,
                                 .rejections = s.rejections,
                                 .rejections_total = 500};
  a.room = ReplicaRoom{10'000, true, a.first_failure};
  const FilterCheck check{name, false, std::vector(4, std::string(256, letter))};
  for (int i = 0; i < 16; ++i) {
    NodeVerdict verdict{.node = name,
                        .score = 12'345'678,
                        .strategy_scores = std::vector<std::int64_t>(32, 100),
                        .rank = 100'000,
                        .plugin = name,
                        .code = std::string(63, 'c'),
                        .reasons = std::vector(16, text),
                        .would_fit_with = text};
    if (i < 4) {
      verdict.checks = std::vector(16, check);
      verdict.resources = std::vector(16, RequestedAmount{name, "1000Gi", "1000Gi"});
    }
    a.verdicts.push_back(verdict);
  }
  a.group = GroupAnswer{.min_count = 10'000, .topology_key = name, .domain = name.substr(0, 63)};
  a.group->domains = std::vector(16, GroupDomain{name.substr(0, 63), 10'000, 10'000});
  for (int i = 0; i < 96; ++i) {
    ChangeResult change{"DrainNode", name, text, 100, 100, 100, 100, 100};
    change.pods =
        std::vector(2, DrainedPod{name, name, 12'345, 10'000, "OtherScheduler", text.substr(0, 200)});
    change.fullest = std::vector(3, FullNode{name, "ephemeral-storage", 100});
    change.spare = std::vector(2, SpareAmount{"memory", "1000000Gi"});
    change.waiting = std::vector(16, WaitingPlaced{name, name});
    change.budgets =
        std::vector(8, BrokenBudget{name, name.substr(0, 63), 10'000, std::vector(16, name), 10'000});
    change.budgets_total = 10'000;
    a.changes.push_back(change);
  }
  for (int i = 0; i < 16; ++i) {
    a.fixes.push_back({.type = "WithoutPodAntiAffinity",
                       .fields = {{"term", std::string(60'000, letter)}, {"topologyKey", name}},
                       .message = text,
                       .node = name,
                       .score = 12'345'678});
  }
  set_quotas(a, std::vector(100, QuotaAnswer{.name = name,
                                             .reason = text,
                                             .resources = std::vector(
                                                 16, QuotaUse{name, "1000Gi", "1000Gi", "1000Gi", true})}));
  a.not_modelled = std::vector(16, name);
  return s;
}

TEST(BoundAnswer, IsNeverLongerWhateverTheNamesAndTexts) {
  for (const char letter : {'t', '"'}) {
    for (const std::size_t length : {63u, 253u}) {
      SCOPED_TRACE(fmt::format("{} of {} bytes", letter, length));
      auto status = full_answer(letter, std::string(length, 'n'));
      EXPECT_GT(json::serialize(to_json(status)).size(), 4 * kAnswerBytes);
      bound_answer(status);
      for (auto& condition : status.conditions) condition.since = Wall(1'800'000'000s);
      EXPECT_LE(json::serialize(to_merge_patch(status)).size(), kAnswerBytes);
      const auto& answer = *status.answer;
      EXPECT_EQ(answer.verdicts.size(), 16u) << "each named node has its verdict";
      EXPECT_EQ(answer.changes.size(), 96u);
      EXPECT_EQ(answer.fixes.size(), 16u);
      EXPECT_EQ(answer.placements_total, 500u);
      EXPECT_EQ(answer.zones_total, 40u);
      EXPECT_EQ(answer.quotas_total, 100u);
      EXPECT_EQ(answer.room->count, 10'000u);
      EXPECT_EQ(answer.first_failure->rejections_total, 500u);
    }
  }
}

TEST(BoundAnswer, ASearchForNodesIsNeverLonger) {
  for (const std::size_t length : {63u, 253u}) {
    const std::string name(length, 'n'), text(1024, '"');
    ReportStatus status;
    status.outcome = "PartlyFits";
    status.message = text;
    status.conditions = {complete(true, "PartlyFits", text), {"Accepted", true, "Accepted", text, Wall(0s)}};
    auto& a = status.answer.emplace();
    AddedNodes added{
        .shape = text, .like = name, .allocatable = std::vector(8, ResourceAmount{name, "1000Gi"})};
    added.workloads = std::vector(16, WaitingWorkload{name.substr(0, 63), name, name, 10'000});
    added.left_over = added.allocatable;
    a.nodes_wanted =
        NodesWanted{.added = std::vector(16, added),
                    .unplaced = std::vector(16, UnplacedPods{{name.substr(0, 63), name, name, 10'000}, text}),
                    .unplaced_total = 500,
                    .uncordon = std::vector(16, name)};
    a.nodes_spare = NodesSpare{
        .nodes = std::vector(64, SpareNode{name, 100, {{name, name}}, 100}),
        .nodes_total = 500,
        .blocked = std::vector(10, BlockedNodes{"NoController", text, 10'000, {name, name, name}})};
    a.weights_compared = WeightsCompared{
        .elsewhere = std::vector(64, PodElsewhere{name, name, name, name, text}), .elsewhere_total = 500};
    EXPECT_GT(json::serialize(to_json(status)).size(), 2 * kAnswerBytes);
    bound_answer(status);
    EXPECT_LE(json::serialize(to_merge_patch(status)).size(), kAnswerBytes);
    EXPECT_EQ(a.weights_compared->elsewhere_total, 500u);
    EXPECT_EQ(a.nodes_wanted->unplaced_total, 500u);
    EXPECT_EQ(a.nodes_spare->nodes_total, 500u);
    EXPECT_GE(a.nodes_spare->nodes.size(), 16u);
    EXPECT_GE(a.nodes_wanted->added.size(), 8u);
  }
}

TEST(BoundAnswer, LeavesWhatIsUsuallyAskedAsItIs) {
  auto status = answered();
  bound_answer(status);
  EXPECT_EQ(json::value(to_json(status)), fixture("answer"));

  // Full lists of usual names.
  auto large = answered();
  large.strategies =
      std::vector(8, ReportStrategy{"NodeResourcesBalancedAllocation", 1,
                                    std::vector(5, NodeScore{"ip-10-0-12-123.eu-west-1", 100})});
  large.top_nodes =
      std::vector(10, TopNode{"ip-10-0-12-123.eu-west-1", 512, std::vector<std::int64_t>(8, 100)});
  auto& a = *large.answer;
  a.nodes_wanted.reset();  // an answer about pods has none
  a.nodes_spare.reset();
  a.weights_compared.reset();
  std::vector<std::string> nodes;
  for (int i = 0; i < 64; ++i) nodes.push_back(fmt::format("ip-10-0-12-{:03}.eu-west-1.compute.internal", i));
  set_placements(a, nodes);
  a.verdicts.resize(16, a.verdicts.back());
  a.fixes.resize(16, a.fixes.back());
  a.changes.front().pods = std::vector(
      64, DrainedPod{.name = "web-7d9f8c6b5-x2x4q", .node = nodes[0], .score = 290, .feasible = 2});
  const auto text = json::serialize(to_json(large));
  bound_answer(large);
  EXPECT_EQ(json::serialize(to_json(large)), text) << text.size();
}

}  // namespace
}  // namespace podium::explain
