// `podium why` and `why --node`: from a report's JSON to the exact text.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "app/render/fixes.h"
#include "app/render/why.h"
#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

TEST(Why, NamesTheNodeTheTieAndTheSum) {
  EXPECT_EQ(
      why(read_report(scheduled_report()), "shop/web-07", plain()),
      "shop/web-07 is on general-01: 404 points, tied with 17 other nodes; the pod's UID decides.\n"
      "54 of 66 nodes fit.  points = weight × score\n"
      "                         general-01* +17  general-00\n"
      "  cpu and memory                      95          96\n"
      "  image present                        9           0\n"
      "  equal on all of these              300         300\n"
      "  total                              404         396\n"
      "Equal on all of these: taints 3×100=300.\n"
      "Lead over general-00, the best with fewer points: 8 (cpu and memory -1, image present +9).\n"
      "Rejected nodes:\n"
      "  9 nodes  have a taint that the pod does not tolerate: gpu=a100:NoSchedule and gpu=t4:NoSchedule  "
      "gpu-00, gpu-01, gpu-02 and 6 more\n"
      "  3 nodes  are cordoned                                                                            "
      "drained-00, drained-01 and drained-02\n"
      "Decided 10 minutes ago.\n");
}

TEST(Why, SaysWhatToAskNext) {
  auto report = read_report(scheduled_report());
  EXPECT_EQ(next_step(report, "shop", "web-07", plain()),
            "Where would it go now? kubectl podium whatif pod/web-07 -n shop\n");
  report.status.outcome = "Gated";
  report.status.scheduling_gates = {"a", "b"};
  EXPECT_EQ(next_step(report, "shop", "web-07", plain()),
            "Without its gates? kubectl podium whatif pod/web-07 -n shop\n");
  EXPECT_EQ(next_step(read_report(pending_report()), "ml", "big-2", plain()),
            "What would help? kubectl podium whatif pod/big-2 -n ml --fixes\n");
  auto no_hints = plain();
  no_hints.program.clear();
  EXPECT_EQ(next_step(report, "shop", "web-07", no_hints), "");
}

TEST(Why, FitsTheTerminal) {
  auto options = plain();
  options.columns = 80;
  const auto text = why(read_report(scheduled_report()), "shop/web-07", options);
  const auto table = text.substr(text.find("Rejected nodes:"));
  EXPECT_EQ(table,
            "Rejected nodes:\n"
            "  9 nodes  have a taint that the pod does not tolerate: g…  gpu-00, gpu-01, gpu…\n"
            "  3 nodes  are cordoned                                     drained-00, drained…\n"
            "Decided 10 minutes ago.\n");
}

TEST(Why, EveryColumnAddsUp) {
  const auto report = read_report(scheduled_report());
  for (const auto& node : report.status.top_nodes) {
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < report.status.strategies.size(); ++s) {
      sum += report.status.strategies[s].weight * node.strategy_scores[s];
    }
    EXPECT_EQ(sum, node.score) << node.node;
  }
}

TEST(Why, WideNamesThePlugins) {
  auto options = plain();
  options.wide = true;
  const auto text = why(read_report(scheduled_report()), "shop/web-07", options);
  EXPECT_NE(text.find("TaintToleration: node(s) had untolerated taint(s)"), std::string::npos) << text;
  EXPECT_NE(text.find("general-04"), std::string::npos) << text;
}

TEST(Why, OneNodeThatFitsNeedsNoLead) {
  auto report = read_report(scheduled_report());
  report.status.node_counts.feasible = 1;
  report.status.top_nodes.resize(1);
  report.status.choice->tied_nodes = 1;
  report.status.choice->margin.reset();
  const auto text = why(report, "shop/web-07", plain());
  EXPECT_TRUE(text.starts_with("shop/web-07 is on general-01: 404 points, the only node that fits.\n"))
      << text;
  EXPECT_NE(text.find("  taints            3×100=300\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Lead"), std::string::npos) << text;
}

TEST(Why, APodThatIsGoneIsNoLongerOnItsNode) {
  const auto first_line = [](const Report& report, const Fate& fate) {
    const auto text = why(report, "shop/web-07", plain(), fate);
    return text.substr(0, text.find('\n'));
  };
  auto report = read_report(scheduled_report());
  report.status.node_counts.feasible = 1;
  const std::string points = "general-01 (404 points, the only node that fits); ";
  EXPECT_EQ(first_line(report, {}), "shop/web-07 was on " + points + "it no longer exists.");
  EXPECT_EQ(first_line(report, {.how = "evicted 9s ago to make room for a/b"}),
            "shop/web-07 was on " + points + "evicted 9s ago to make room for a/b.");
  EXPECT_EQ(first_line(report, {.is_gone = false}), "shop/web-07 is on " + points + "it terminates.");
  EXPECT_EQ(first_line(report, {.is_gone = false, .how = "evicted"}),
            "shop/web-07 is on " + points + "it terminates, evicted.");
  EXPECT_TRUE(why(read_report(pending_report()), "ml/big-2", plain(), Fate{})
                  .starts_with("ml/big-2: it no longer exists. The last decision:\n"
                               "ml/big-2 is pending: no node fits (66 nodes).\n"));
}

TEST(Why, APodWhoseBindingWaitsIsNotOnItsNodeYet) {
  auto report = read_report(scheduled_report());
  report.status.outcome = "Binding";
  report.status.message = "its claim data has not been bound to a volume yet";
  const auto text = why(report, "shop/web-07", plain());
  EXPECT_TRUE(
      text.starts_with("shop/web-07 goes to general-01 (404 points, tied with 17 other nodes; the pod's "
                       "UID decides), and is not bound yet: its claim data has not been bound to a volume "
                       "yet.\n54 of 66 nodes fit."))
      << text;
  EXPECT_EQ(next_step(report, "shop", "web-07", plain()), "");
  EXPECT_EQ(explain::summary_of(report.status).reason, report.status.message);
}

TEST(Why, APendingPodHearsWhatIsShort) {
  EXPECT_EQ(why(read_report(pending_report()), "ml/big-2", plain()),
            "ml/big-2 is pending: no node fits (66 nodes).\n"
            "Rejected nodes:\n"
            "  66 nodes  do not have enough free nvidia.com/gpu; closest: 7 nvidia.com/gpu short  gpu-02 and "
            "65 more\n"
            "Evicting other pods would not help.\n"
            "12 attempts, the last 10 minutes ago.\n"
            "Earlier attempts:\n"
            "  20m ago  Unschedulable  60 nodes do not have enough free cpu\n");
}

// The pod asks for 7, and no node has any.
TEST(Why, NoNodeIsShortOfAResourceThatNoneHas) {
  auto report = read_report(pending_report());
  report.status.rejections[0].shortfall->nodes_without = 66;
  const auto text = why(report, "ml/big-2", plain());
  EXPECT_NE(text.find("  66 nodes  have no nvidia.com/gpu  gpu-02 and 65 more\n"), text.npos) << text;
  EXPECT_EQ(text.find("short"), text.npos) << text;
  report.status.rejections[0].shortfall->nodes_without = 54;
  EXPECT_NE(why(report, "ml/big-2", plain()).find("(54 have none); closest: 7 nvidia.com/gpu short"),
            text.npos);
}

TEST(Why, NamesAStrategyWithoutWhichNodesTie) {
  auto report = read_report(scheduled_report());
  auto& nodes = report.status.top_nodes;
  const auto decided = [&] {
    const auto text = why(report, "shop/web-07", plain());
    const auto at = text.find("Decided by");
    return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  nodes[4].strategy_scores = {100, 87, 9};
  EXPECT_EQ(decided(), "Decided by cpu and memory: without it, at least 5 nodes would tie.");
  report.status.node_counts.feasible = 5;
  EXPECT_EQ(decided(), "Decided by cpu and memory: without it, 5 nodes would tie.");
  nodes[4].strategy_scores = {100, 95, 1};
  EXPECT_EQ(decided(), "Decided by image present: without it, 5 nodes would tie.");
  nodes[4].strategy_scores = {100, 96, 0};
  EXPECT_EQ(decided(), "") << "the other node would win, and the report says which strategy decided";
  nodes[4].strategy_scores = {100, 86, 10};
  EXPECT_EQ(decided(), "") << "it would still be behind";
  nodes[4].strategy_scores = {100, 87, 9};
  nodes[4].score = 405;
  EXPECT_EQ(decided(), "") << "a nominated node need not be the best";
}

TEST(Why, PreemptionNamesItsVictims) {
  auto report = read_report(pending_report());
  report.status.preemption = explain::Preempted{"n3", {{"batch", "a"}, {"batch", "b"}}, 2};
  const auto text = why(report, "ml/big-2", plain());
  EXPECT_TRUE(
      text.starts_with("ml/big-2 is pending: it waits until 2 evicted pods have left n3.\n"
                       "Evicted to make room: batch/a and batch/b.\n"))
      << text;
  auto placed = read_report(scheduled_report());
  placed.status.preemption = explain::Preempted{"general-01", {{"batch", "a"}}, 1};
  EXPECT_NE(why(placed, "shop/web-07", plain()).find("\nEvicted to make room: batch/a.\n"),
            std::string::npos);
}

TEST(Why, PreemptionNamesTheBudgetsThatItViolates) {
  auto report = read_report(pending_report());
  auto& preempted = report.status.preemption.emplace();
  preempted = {"n3", {{"batch", "a"}, {"batch", "b"}}, 2, 1};
  const auto evicted = [&] {
    const auto text = why(report, "ml/big-2", plain());
    const auto at = text.find("Evicted");
    return text.substr(at, text.find('\n', at) - at);
  };
  preempted.violated_budgets = {{"batch", "db"}};
  preempted.violated_budgets_total = 1;
  EXPECT_EQ(evicted(),
            "Evicted to make room: batch/a and batch/b, violating the PodDisruptionBudget batch/db, but 1 of "
            "them is a "
            "static pod: the kubelet runs it again, so its room does not become free.");
  preempted.static_pods = 0;
  preempted.violated_budgets_total = 3;
  EXPECT_EQ(
      evicted(),
      "Evicted to make room: batch/a and batch/b, violating the PodDisruptionBudgets batch/db and 2 more.");
  report.is_question = true;
  EXPECT_EQ(would_evict(report),
            "Preemption: batch/a and batch/b on n3 would be evicted to make room, violating the "
            "PodDisruptionBudgets "
            "batch/db and 2 more.\n");
  preempted.violated_budgets.clear();
  EXPECT_THAT(would_evict(report), HasSubstr(", violating 3 PodDisruptionBudgets of other namespaces.\n"));
  auto placed = read_report(scheduled_report());
  placed.status.preemption = preempted;
  placed.status.preemption->violated_budgets = {{"batch", "db"}};
  placed.status.preemption->violated_budgets_total = 1;
  EXPECT_THAT(why(placed, "shop/web-07", plain()),
              HasSubstr("batch/b, violating the PodDisruptionBudget batch/db.\n"));
}

TEST(Why, APodThatMayNotPreemptHasTheReason) {
  auto report = read_report(pending_report());
  report.status.rejections[0].preemption_may_help = true;
  EXPECT_THAT(why(report, "ml/big-2", plain()), HasSubstr("\nNo pod of lower priority could make room.\n"));
  report.status.no_preemption = "PreemptionNever";
  EXPECT_THAT(why(report, "ml/big-2", plain()),
              HasSubstr("\nIt evicts no pods: its preemptionPolicy is Never.\n"));
  report.status.no_preemption = "VictimsTerminate";
  EXPECT_THAT(why(report, "ml/big-2", plain()),
              HasSubstr("\nIt evicts no pods: pods that it has evicted are still terminating.\n"));
}

TEST(Why, AReasonOfThePodItselfIsTheWholeAnswer) {
  auto report = read_report(json::parse(R"({"status": {"outcome": "Unschedulable", "attempts": 1,
      "nodeCounts": {"total": 66}, "rejections": [{"plugin": "VolumeBinding", "code": "ClaimClassNotFound",
      "reason": "pod has unbound immediate PersistentVolumeClaims", "nodeCount": 66,
      "about": {"claimName": "d-pg-0", "storageClassName": "fast-ssd"}}]}})"));
  EXPECT_EQ(why(report, "shop/pg-0", plain()),
            "shop/pg-0 is pending: its claim d-pg-0 names the StorageClass fast-ssd, which does not exist.\n"
            "1 attempt.\n");
}

TEST(Why, TheLabelsThatAPodAsksForAreCountedOneByOne) {
  const auto report =
      read_report(json::parse(R"({"status": {"outcome": "Unschedulable", "nodeCounts": {"total": 66},
      "rejections": [{"plugin": "NodeAffinity", "code": "NodeSelectorMismatch", "nodeCount": 66,
      "reason": "node(s) didn't match Pod's node affinity/selector", "parts": [
        {"from": "nodeSelector", "requirement": "disk=ssd", "nodeCount": 18},
        {"from": "nodeSelector", "requirement": "zone=eu-9z", "nodeCount": 0,
         "values": ["eu-1a", "eu-1b"], "valuesTotal": 3},
        {"from": "nodeSelector", "requirement": "worker=true", "nodeCount": 0, "values": [""]},
        {"from": "nodeAffinityTerm", "requirement": "arch In [arm64]", "nodeCount": 0}]}]}})"));
  EXPECT_EQ(why(report, "shop/sel", plain()),
            "shop/sel is pending: no node has all that it requires.\n"
            "  nodeSelector disk=ssd                 18 nodes\n"
            "  nodeSelector zone=eu-9z                0 nodes  ← values: eu-1a, eu-1b and 1 more\n"
            "  nodeSelector worker=true               0 nodes  ← values: \"\"\n"
            "  nodeAffinity, one of arch In [arm64]   0 nodes\n");
}

TEST(Why, AGatedPodWaitsForItsGates) {
  Report report;
  report.status.outcome = "Gated";
  report.status.scheduling_gates = {"example/quota", "b"};
  EXPECT_EQ(why(report, "batch/x", plain()),
            "batch/x waits for its scheduling gates: example/quota, b. No node was evaluated.\n");
  report.status.scheduling_gates.clear();
  report.status.message = "waits for DynamicResources: could not find ResourceClaim \"batch/gpu\"";
  EXPECT_EQ(why(report, "batch/x", plain()),
            "batch/x waits for DynamicResources: could not find ResourceClaim \"batch/gpu\". No node was "
            "evaluated.\n");
  report.status.history = {{std::nullopt, "Failed", "claim batch/gpu got deleted in the meantime", 0}};
  EXPECT_TRUE(why(report, "batch/x", plain()).contains("Earlier attempts:\n")) << "it is gated again";
}

TEST(WhyNode, SaysNoThenWhatWouldHelp) {
  EXPECT_EQ(why_node(read_report(node_answer()), "shop/web-07", plain()),
            "No: gpu-03 rejects shop/web-07.\n"
            "  ✗ it has a taint that the pod does not tolerate: gpu=true:NoSchedule\n"
            "  ✗ cpu 4 of 3200m free\n"
            "  ✓ memory 512Mi of 20Gi free\n"
            "  ✓ not cordoned  ✓ spread of the pods\n"
            "What would let it run, each tried on a copy of the cluster's state:\n"
            "  tolerate the taint gpu=true:NoSchedule (on gpu-03, 486 points)\n"
            "    tolerations:\n"
            "    - {key: gpu, operator: Equal, value: \"true\", effect: NoSchedule}\n"
            "With \"tolerate the taint gpu=true:NoSchedule\", gpu-03 ranks 40 of 55: it would still not go "
            "there, but to general-01, which has 9 points more.\n");
  auto best = read_report(node_answer());
  auto& fix = best.status.answer->fixes.front();
  fix.rank = 1;
  fix.best_node = "gpu-03";
  fix.best_score = fix.score;
  EXPECT_TRUE(why_node(best, "shop/web-07", plain()).ends_with("gpu-03 ranks 1 of 55: it would go there.\n"));
}

TEST(WhyNode, ASnippetQuotesAnEmptyValueAndEscapesWhatIsNotText) {
  const auto snippet = [](std::string_view taint) {
    const auto fix = fmt::format(R"({{"type": "TolerateTaint", "message": "m", "taint": {}}})", taint);
    const auto text = tried_fixes(read_report(
        json::parse(fmt::format(R"({{"spec": {{"dryRun": true}}, "status": {{"fixes": [{}]}}}})", fix))));
    return text.substr(text.find("  m\n") + 4);
  };
  EXPECT_EQ(
      snippet(R"({"key": "example.com/gone", "value": "", "effect": "NoExecute"})"),
      "    tolerations:\n    - {key: example.com/gone, operator: Equal, value: \"\", effect: NoExecute}\n");
  EXPECT_EQ(snippet(R"({"key": "a\nb", "effect": "NoSchedule"})"),
            "    tolerations:\n    - {key: \"a\\nb\", operator: Equal, value: \"\", effect: NoSchedule}\n");
  EXPECT_EQ(snippet("3"), "");
}

TEST(WhyNode, AnOlderPodiumNamesTheFirstReasonOnly) {
  auto report = read_report(node_answer());
  report.status.answer->fixes.clear();
  report.status.answer->verdicts[0].checks.clear();
  report.status.answer->verdicts[0].resources.clear();
  EXPECT_EQ(why_node(report, "shop/web-07", plain()),
            "No: gpu-03 rejects shop/web-07.\n"
            "  ✗ it has a taint that the pod does not tolerate\n"
            "No single change that podium tried would let it fit there.\n");
}

TEST(WhyNode, SaysThatNoSingleChangeHelps) {
  auto report = read_report(node_answer());
  report.status.answer->fixes.clear();
  report.status.answer->verdicts[0].checks.resize(2);
  EXPECT_EQ(why_node(report, "shop/web-07", plain()),
            "No: gpu-03 rejects shop/web-07.\n"
            "  ✗ it has a taint that the pod does not tolerate: gpu=true:NoSchedule\n"
            "  ✓ not cordoned\n"
            "No single change that podium tried would let it fit there.\n");
}

TEST(WhyNode, SaysWhatTheAnswerLeavesOut) {
  auto report = read_report(node_answer());
  report.status.answer->fixes.clear();
  report.status.answer->verdicts = {{.node = "general-09", .fits = true}};
  report.status.answer->not_modelled = {"scheduling gates"};
  EXPECT_EQ(why_node(report, "batch/gated", plain()),
            "Yes: batch/gated fits general-09.\npodium does not model: scheduling gates.\n");
}

TEST(WhyNode, SaysYesWithTheRank) {
  auto report = read_report(node_answer());
  report.status.answer->fixes.clear();
  report.status.answer->verdicts = {{.node = "general-09", .fits = true, .score = 470, .rank = 30}};
  EXPECT_EQ(why_node(report, "shop/web-07", plain()),
            "Yes: shop/web-07 fits general-09 with 470 points, rank 30 of 54.\n"
            "general-01 has 7 more points.\n");
  report.status.answer->verdicts.front().score = 477;
  EXPECT_TRUE(why_node(report, "shop/web-07", plain())
                  .ends_with("general-01 has the same points, and podium chooses one of the equal nodes.\n"));
}

// The filter of taints comes first, so a tainted node may have all labels.
TEST(Why, NodesWithTheLabelsMayBeTainted) {
  auto report = read_report(pending_report());
  report.status.history.clear();
  const explain::UnmetPart part{.from = "nodeSelector", .requirement = "pool=gpu", .nodes = 9};
  report.status.rejections = {
      {.code = "NodeSelectorMismatch", .nodes = 57, .parts = {part}},
      {.code = "UntoleratedTaint", .nodes = 9, .taints = {"gpu=a100:NoSchedule"}, .taints_total = 1}};
  EXPECT_EQ(why(report, "ml/big-2", plain()),
            "ml/big-2 is pending: no node fits (66 nodes).\n"
            "Rejected nodes:\n"
            "  57 nodes  do not match the pod's node selector or affinity                  57 more\n"
            "   9 nodes  have a taint that the pod does not tolerate: gpu=a100:NoSchedule  9 more\n"
            "The labels that it requires:\n"
            "  nodeSelector pool=gpu  9 nodes\n"
            "Evicting other pods would not help.\n"
            "12 attempts, the last 10 minutes ago.\n");
  report.status.rejections[0].parts[0].nodes = 0;
  EXPECT_TRUE(why(report, "ml/big-2", plain()).starts_with("ml/big-2 is pending: no node has all"));
  auto& parts = report.status.rejections[0].parts;
  parts = {{.from = std::string(explain::kOneOfSeveralTerms), .requirement = "a In [1]", .nodes = 0},
           {.from = std::string(explain::kOneOfSeveralTerms), .requirement = "a In [2]", .nodes = 4}};
  EXPECT_TRUE(why(report, "ml/big-2", plain()).starts_with("ml/big-2 is pending: no node fits"));
  parts[1].nodes = 0;
  EXPECT_TRUE(why(report, "ml/big-2", plain()).starts_with("ml/big-2 is pending: no node has all"));
}

TEST(Why, AMessageWithoutNodesIsTheReason) {
  Report report;
  report.is_question = true;
  report.status.outcome = "DoesNotFit";
  report.status.message = "no nodes available to schedule pods";
  EXPECT_EQ(why(report, "shop/web", plain()),
            "shop/web does not fit: no nodes available to schedule pods.\n");
}

// A pod that names a node by spec.nodeName or metadata.name, and one that selects its hostname.
TEST(Why, ANodeThatIsNotThereIsSaidWithSimilarNames) {
  auto report = read_report(pending_report());
  report.status.history.clear();
  explain::UnmetPart part{.from = "nodeName",
                          .requirement = "n1",
                          .values = {"n-1", "n-2"},
                          .values_total = 2,
                          .missing_node = "n1"};
  report.status.rejections = {{.code = "NodeNotFound",
                               .reason = "node(s) didn't satisfy plugin(s) [NodeName]",
                               .nodes = 66,
                               .about = {{framework::Topic::node, "n1"}},
                               .parts = {part}}};
  EXPECT_EQ(why(report, "ml/big-2", plain()),
            "ml/big-2 is pending: there is no node n1. Did you mean n-1 or n-2?\n"
            "12 attempts, the last 10 minutes ago.\n");
  report.status.rejections[0].parts[0].values.clear();
  EXPECT_TRUE(why(report, "ml/big-2", plain()).starts_with("ml/big-2 is pending: there is no node n1.\n"));
  part.from = "nodeSelector";
  part.requirement = "kubernetes.io/hostname=n1";
  report.status.rejections = {{.code = "NodeSelectorMismatch", .nodes = 66, .parts = {part}}};
  EXPECT_EQ(
      why(report, "ml/big-2", plain()),
      "ml/big-2 is pending: no node has all that it requires.\n"
      "  nodeSelector kubernetes.io/hostname=n1  0 nodes  ← there is no node n1. Did you mean n-1 or n-2?\n"
      "12 attempts, the last 10 minutes ago.\n");
}

TEST(Why, ALabelThatNoNodeHasDiffersFromAValueThatNoNodeHas) {
  auto report = read_report(pending_report());
  report.status.history.clear();
  const explain::UnmetPart key{
      .from = "nodeSelector", .requirement = "disktpye=ssd", .missing_key = "disktpye", .near = {"disktype"}};
  const explain::UnmetPart value{.from = "nodeSelector",
                                 .requirement = "pool=GPU",
                                 .values = {"gpu"},
                                 .values_total = 1,
                                 .near = {"gpu"}};
  report.status.rejections = {{.code = "NodeSelectorMismatch", .nodes = 66, .parts = {key, value}}};
  EXPECT_EQ(why(report, "ml/big-2", plain()),
            "ml/big-2 is pending: no node has all that it requires.\n"
            "  nodeSelector disktpye=ssd  0 nodes  ← no node has the label disktpye. Did you mean disktype?\n"
            "  nodeSelector pool=GPU      0 nodes  ← values: gpu. Did you mean gpu?\n"
            "12 attempts, the last 10 minutes ago.\n");
  report.status.rejections[0].parts = {key};
  report.status.rejections[0].parts[0].near.clear();
  EXPECT_THAT(why(report, "ml/big-2", plain()), testing::HasSubstr("← no node has the label disktpye\n"));
}

TEST(WhyNode, SaysWhatTheNodeHasInsteadOfTheLabels) {
  Report report;
  report.status.answer.emplace().verdicts = {
      {.node = "n-2",
       .code = "NodeSelectorMismatch",
       .checks = {{.plugin = "NodeAffinity",
                   .passes = false,
                   .reasons = {"node(s) didn't match Pod's node affinity/selector"},
                   .causes = {{"NodeSelectorMismatch", {}}},
                   .unmet = {{"nodeSelector", "disk=ssd", "disk", "hdd", true},
                             {"nodeAffinity", "rack Exists", "rack", "", false},
                             {std::string(explain::kOneOfSeveralTerms), "zone In [a]", "zone", "", true}}}}}};
  EXPECT_THAT(
      why_node(report, "shop/web", plain()),
      testing::HasSubstr("✗ it does not match the pod's node selector or affinity: nodeSelector "
                         "disk=ssd, but it has disk=hdd; nodeAffinity rack Exists, but it does not have "
                         "the label rack; nodeAffinity, one of zone In [a]\n"))
      << "the last value is withheld";
}

TEST(WhyNode, ANodeThatIsNotThereIsNamed) {
  Report report;
  report.status.answer.emplace().verdicts = {{.node = "node-8",
                                              .code = "UnknownNode",
                                              .reasons = {"there is no node node-8. Did you mean node-08?"}}};
  EXPECT_EQ(why_node(report, "shop/web-07", plain()), "There is no node node-8. Did you mean node-08?\n");
}

}  // namespace
}  // namespace podium::render
