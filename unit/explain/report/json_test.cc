// The JSON of each form of report: reports/*.json, which a live test also sends through the API server.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/result.h"
#include "explain/report/bounds.h"
#include "explain/report/json.h"
#include "explain/report/refusal.h"
#include "explain/report/report.h"

namespace podium::explain {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

json::value fixture(const std::string& name) {
  std::ifstream file("unit/explain/report/forms/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str());
}

ReportCondition complete(bool is_true, const std::string& reason, const std::string& message) {
  return {"Complete", is_true, reason, message, Wall(0s)};
}

ReportRejection insufficient(std::size_t nodes, bool may_help) {
  return {.plugin = "NodeResourcesFit",
          .code = "InsufficientResource",
          .reason = "Insufficient cpu",
          .nodes = nodes,
          .preemption_may_help = may_help,
          .about = {{framework::Topic::resource, "cpu"}}};
}

ReportStatus scheduled() {
  ReportStatus s;
  s.outcome = "Scheduled";
  s.profile = "default-scheduler";
  s.choice = {"n2", 310, 2, 10};
  s.decided_at = Wall(0s);
  s.expires_at = Wall(90s);
  s.attempts = 3;
  s.node_counts = {5, 5, 3};
  s.strategies = {{"TaintToleration", 3, {{"n1", 100}}},
                  {"ImageLocality", 1, {{"n1", 10}}, NodeLead{"n3", 2}}};
  s.top_nodes = {{"n2", 310, {100, 10}}, {"n1", 310, {100, 10}}, {"n3", 300, {100, 0}}};
  s.rejections = {insufficient(2, true),
                  {.code = "ExcludedByName", .reason = "node(s) didn't satisfy plugin", .nodes = 1}};
  s.rejections[0].shortfall = {"cpu", "500m", "n5", 2};
  s.rejections[0].examples = {"n4", "n5"};
  s.rejections_total = 2;
  s.devices = {{"web-gpu", "gpu", "gpu.example.com", "n2", "gpu-0"},
               {"monitor", "all", "gpu.example.com", "n2", "gpu-1", true}};
  s.devices_total = 3;
  s.preemption = Preempted{"n2", {{"shop", "old"}}, 4};
  s.history = {{Wall(-30s), "Unschedulable", "Insufficient cpu", 5},
               {Wall(-60s), "Failed", "the node is gone", 0}};
  s.queued = 1500ms;
  s.evaluate = 41us;
  s.bind = 2ms;
  s.pods_version = 123;
  s.conditions = {complete(true, "Scheduled", "placed on n2")};
  return s;
}

ReportStatus unschedulable() {
  ReportStatus s;
  s.outcome = "Unschedulable";
  s.profile = "default-scheduler";
  s.message = "0/5 nodes are available: 5 Insufficient cpu.";
  s.decided_at = Wall(0s);
  s.expires_at = Wall(90s);
  s.attempts = 1;
  s.node_counts = {5, 5, 0};
  s.rejections = {insufficient(5, false)};
  s.rejections[0].shortfall = {"cpu", "60"};
  s.rejections[0].examples = {"n1", "n2", "n3"};
  s.rejections[0].devices = {{"web-gpu", "gpu", 8, 4, 2, 1}};
  s.rejections[0].taints = {"gpu=a100:NoSchedule", "gpu:NoExecute"};
  s.rejections[0].taints_total = 4;
  s.rejections[0].about = {
      {framework::Topic::resource, "cpu"},           {framework::Topic::claim, "d-pg-0"},
      {framework::Topic::storage_class, "fast-ssd"}, {framework::Topic::volume, "pv-1"},
      {framework::Topic::device_class, "gpu"},       {framework::Topic::request, "gpu/a"},
      {framework::Topic::driver, "csi.example.com"}};
  s.rejections[0].parts = {{"nodeSelector", "disk=ssd", 2},
                           {"nodeAffinity", "zone In [eu-9z]", 0, {"eu-1a", "eu-1b"}, 7}};
  s.rejections_total = 1;
  s.evaluate = 41us;
  s.conditions = {complete(false, "Unschedulable", s.message)};
  return s;
}

ReportStatus gated() {
  ReportStatus s;
  s.outcome = "Gated";
  s.profile = "default-scheduler";
  s.message = "waits for its scheduling gate: example.com/quota";
  s.scheduling_gates = {"example.com/quota"};
  s.gated = {{Wall(-30s), std::nullopt, {"example.com/quota"}}, {Wall(-60s), Wall(-50s), {"P: no claim"}}};
  s.decided_at = Wall(0s);
  s.conditions = {complete(false, "Gated", s.message)};
  return s;
}

ReportStatus answered() {
  ReportStatus s;
  s.outcome = "PartlyFits";
  s.profile = "default-scheduler";
  s.choice = {"n1", 300, 1, {}};
  s.attempts = 1;
  s.node_counts = {2, 2, 1};
  auto& a = s.answer.emplace();
  a.asked = 3;
  a.fitting = 2;
  set_placements(a, {"n1", "n1"});
  set_zones(a, {{"b", 0, 1}, {"a", 2, 0}});
  a.room =
      ReplicaRoom{.count = 46,
                  .first_failure = FirstFailure{.replica = 50,
                                                .reason = "Insufficient cpu",
                                                .message = "0/2 nodes are available: 2 Insufficient cpu.",
                                                .node_counts = {2, 2, 0},
                                                .rejections = {insufficient(2, true)},
                                                .rejections_total = 1}};
  a.first_failure = FirstFailure{.replica = 3,
                                 .reason = "Insufficient cpu",
                                 .message = "0/2 nodes are available: 2 Insufficient cpu.",
                                 .node_counts = {2, 2, 0},
                                 .rejections = {insufficient(2, true)},
                                 .rejections_total = 1};
  a.verdicts = {{.node = "n1", .fits = true, .score = 300, .strategy_scores = {100, 0}, .rank = 1},
                {.node = "n2",
                 .plugin = "TaintToleration",
                 .code = "UntoleratedTaint",
                 .reasons = {"node(s) had untolerated taint(s)"},
                 .causes = {Cause{"UntoleratedTaint"}},
                 .would_fit_with = "toleration of gpu",
                 .checks = {{"TaintToleration",
                             false,
                             {"node(s) had untolerated taint(s)"},
                             {Cause{"UntoleratedTaint"}},
                             {"gpu:NoSchedule"}},
                            {"NodeResourcesFit"}},
                 .resources = {{"cpu", "500m", "3"}}}};
  a.group = GroupAnswer{.min_count = 3,
                        .topology_key = "topology.kubernetes.io/zone",
                        .domains = {{"a", 2, 1}},
                        .domains_total = 1};
  set_quotas(a, {{.name = "few",
                  .allowed = 1,
                  .resources = {{"pods", "4", "7", "5", true}, {"requests.cpu", "1", "2500m", "8"}}},
                 {.name = "strict", .allowed = 5, .reason = "must specify memory for: main"}});
  a.changes = {{.type = "DrainNode",
                .node = "n3",
                .message = "5 pods evicted",
                .pods_moved = 4,
                .pods_pending = 1,
                .budgets_broken = 1,
                .pods_evicted = 5,
                .pods_total = 3,
                .pods = {{.name = "big",
                          .code = "NoNode",
                          .reason = "Insufficient cpu",
                          .cause = Cause{"InsufficientResource", {{framework::Topic::resource, "cpu"}}}},
                         {.name = "web", .node = "n1", .score = 290, .feasible = 2}},
                .fullest = {{"n1", "cpu", 91}},
                .pods_gone = 1,
                .waiting_placed = 2,
                .waiting = {{"train-1", "n4"}},
                .budgets = {{"web", "shop", 1, {"web-0"}, 2}},
                .budgets_total = 1,
                .with_several_budgets = 1,
                .pending_so_far = 2}};
  a.fixes = {{.type = "LowerRequest",
              .fields = {{"resource", "cpu"}, {"most", "1500m"}},
              .message = "ask for at most 1500m of cpu",
              .node = "n1",
              .score = 290}};
  a.nodes_wanted = NodesWanted{.fit_now = 1,
                               .gated = 2,
                               .other_scheduler = 3,
                               .evicting = 4,
                               .not_evaluated = 5,
                               .is_fewest = true,
                               .is_finished = true,
                               .price = "2.5",
                               .shapes_tried = 2,
                               .shapes_total = 3,
                               .added = {{.shape = "like n1",
                                          .like = "n1",
                                          .allocatable = {{"cpu", "4"}},
                                          .nodes = 2,
                                          .pods = 3,
                                          .workloads = {{"Deployment", "web", 2}, {.count = 1}},
                                          .workloads_total = 2,
                                          .left_over = {{"cpu", "500m"}}}},
                               .unplaced = {{.pods = {"Pod", "big", 1}, .reason = "no shape has gpu=h100"}},
                               .unplaced_total = 1,
                               .uncordon = {"n4"}};
  a.nodes_spare = NodesSpare{
      .pods_moved = 2,
      .cordon_first = true,
      .is_finished = true,
      .nodes = {{.node = "n3", .pods_moved = 2, .pods = {{"web", "n1"}}, .pods_total = 1}},
      .nodes_total = 1,
      .blocked = {{.code = "NoRoom", .reason = "pod a has no other place", .nodes = 4, .examples = {"n1"}}}};
  a.not_modelled = {"extenders"};
  s.observed_generation = 2;
  s.conditions = {{"Accepted", true, "Accepted", "request is valid", Wall(0s)},
                  complete(true, "PartlyFits", "2 of 3 replicas fit")};
  for (auto& condition : s.conditions) condition.observed_generation = 2;
  return s;
}

ReportStatus refused() {
  auto s = refusal(invalid(Finding{.path = "spec.profile", .reason = "unknown profile"}).error());
  for (auto& condition : s.conditions) condition.since = Wall(0s);
  return s;
}

TEST(ReportJson, OfEachForm) {
  struct Case {
    const char* name;
    ReportStatus status;
  };
  const Case cases[] = {{"scheduled", scheduled()},
                        {"unschedulable", unschedulable()},
                        {"gated", gated()},
                        {"answer", answered()},
                        {"refused", refused()}};
  for (const auto& c : cases) EXPECT_EQ(json::value(to_json(c.status)), fixture(c.name)) << c.name;
}

TEST(ReportJson, ReadsWhatItWrites) {
  for (const auto& status : {scheduled(), unschedulable(), gated(), answered(), refused()}) {
    const auto written = to_json(status);
    EXPECT_EQ(json::value(to_json(read_status(written))), json::value(written));
  }
}

TEST(ReportJson, ReadsNumbersWithinItsOwn) {
  const auto status = read_status(json::parse(R"({"attempts": 99999999999, "nodeCounts": {"total": -3},
      "choice": {"nodeName": "n", "score": 9223372036854775807}, "strategies": [{"name": "a", "weight": 9223372036854775807}],
      "topNodes": [{"nodeName": "n", "score": 1, "strategyScores": [9223372036854775807]}]})"));
  EXPECT_EQ(status.attempts, 4'294'967'295u);
  EXPECT_EQ(status.node_counts.total, 0u);
  EXPECT_EQ(status.choice->score, 1'000'000'000'000'000);
  EXPECT_EQ(status.strategies[0].weight, 10'000'000'000);
  EXPECT_EQ(status.top_nodes[0].strategy_scores[0], 1'000'000);
}

TEST(ReportJson, AMergePatchRemovesWhatAnEarlierStatusHad) {
  const auto patch = to_merge_patch(unschedulable());
  for (const auto* absent : {"choice", "topNodes", "strategies", "preemption", "history", "replicas",
                             "placements", "placementsTotal", "firstFailure", "fixes", "schedulingGates"})
    EXPECT_TRUE(patch.at(absent).is_null()) << absent;
  EXPECT_TRUE(patch.at("timing").at("bindMicroseconds").is_null());
  EXPECT_EQ(patch.at("timing").at("evaluateMicroseconds"), 41);
  EXPECT_TRUE(patch.at("snapshot").at("resourceVersion").is_null());
  EXPECT_FALSE(patch.at("rejections").at(0).as_object().contains("choice"));
  EXPECT_EQ(patch.at("rejections"), fixture("unschedulable").at("rejections")) << "lists are replaced";
}

// --- bounded_json ---

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
    rejection.taints = std::vector(3, text.substr(0, 392));
    rejection.taints_total = 100'000;
    rejection.examples = {name, name, name};
    rejection.devices = std::vector(
        8, framework::DeviceTally{name, name.substr(0, 127), 640'000, 1, 1, 1, {name, name, name}});
    s.rejections.push_back(rejection);
  }
  s.rejections_total = 500;
  s.findings = std::vector(16, Finding{text.substr(0, 256), text.substr(0, 512)});
  s.devices = std::vector(32, framework::GivenDevice{name, name.substr(0, 127), name, name, name, true});
  s.devices_total = 600;
  s.preemption = Preempted{name, std::vector(16, Victim{std::string(63, 's'), name}), 400};
  s.scheduling_gates = std::vector(16, name);
  s.gated = std::vector(3, GatedTime{Wall(1'800'000'000s), Wall(1'800'000'000s), std::vector(16, text)});
  s.history =
      std::vector(5, ReportAttempt{Wall(1'800'000'000s), "Unschedulable", text.substr(0, 100), 100'000});
  s.queued = s.evaluate = s.bind = 1'000'000s;
  s.pods_version = ~std::uint64_t{0};
  s.conditions = {complete(true, "Scheduled", text)};
  return s;
}

// A report may be another client's.
TEST(ReportJson, NamesOfAFixAreEscaped) {
  ReportStatus status;
  const json::object fields{{"\x1b[31m", "red"}, {R"(a": 1, "b)", json::array{"\x1f"}}};
  status.answer.emplace().fixes = {{.type = "LowerRequest", .fields = fields}};
  const auto written = to_json(status);
  const auto& fix = written.at("fixes").at(0).as_object();
  for (const auto& [name, value] : fields) EXPECT_EQ(fix.at(name), value);
  EXPECT_EQ(fix.if_contains("b"), nullptr);
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
    EXPECT_EQ(kept.at("devicesTotal"), 600);
  }
  EXPECT_EQ(json::parse(bounded_json(scheduled(), most)), fixture("scheduled"))
      << "nothing is cut needlessly";
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
    added.workloads = std::vector(16, WaitingWorkload{name, name, 10'000});
    added.left_over = added.allocatable;
    a.nodes_wanted = NodesWanted{.added = std::vector(16, added),
                                 .unplaced = std::vector(16, UnplacedPods{{name, name, 10'000}, text}),
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
