// What people read: from a report's JSON to text, to the letter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <fstream>
#include <iterator>

#include "app/render/pending.h"
#include "app/render/scores.h"
#include "app/render/text.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "app/render/words.h"
#include "base/time.h"
#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

namespace json = boost::json;

Options plain() { return {.now = *parse_time("2026-11-23T02:10:00Z"), .program = "kubectl podium"}; }

TEST(Text, ATableCountsCodePointsAndTrimsLines) {
  EXPECT_EQ(table({{"a", "3×100"}, {"bcd", "1"}}, {Align::left, Align::right}),
            "  a    3×100\n"
            "  bcd      1\n");
  EXPECT_EQ(table({{"a", ""}, {"b"}}, {Align::left}, 0), "a\nb\n");
}

TEST(Text, WhatATerminalWouldObeyIsRemoved) {
  EXPECT_EQ(printable("a\033[31mb\nc"), "a[31mb c");
  EXPECT_EQ(printable("a\u009b31mb\u0085\u00a0c"), "a31mb\u00a0c") << "C1, too";
  EXPECT_EQ(printable("…"), "…");
}

TEST(Text, ColoursOnlyWhereTheyAreOn) {
  EXPECT_EQ(Style{}.good("fits"), "fits");
  EXPECT_EQ(Style{true}.good("fits"), "\033[32mfits\033[0m");
}

TEST(Text, AgesHaveOneUnit) {
  using std::chrono::seconds;
  EXPECT_EQ(age(seconds(-5)), "0s");
  EXPECT_EQ(age(seconds(119)), "119s");
  EXPECT_EQ(age(seconds(19 * 60 + 30)), "19m");
  EXPECT_EQ(age(seconds(5 * 3600)), "5h");
  EXPECT_EQ(age(seconds(72 * 3600)), "3d");
}

TEST(Text, ListsSayHowManyMore) {
  EXPECT_EQ(listed({"a"}, 3), "a");
  EXPECT_EQ(listed({"a", "b", "c"}, 3), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c"}, 3, 9), "a, b, c and 6 more");
  EXPECT_EQ(listed({}, 3, 2), "2 more");
}

TEST(Words, TheReadersBeforeThePlugins) {
  EXPECT_EQ(reason_words("Insufficient cpu"), "has not enough cpu free");
  EXPECT_EQ(reason_words("node(s) had untolerated taint {gpu: true}"),
            "has a taint that the pod does not tolerate: {gpu: true}");
  EXPECT_EQ(reason_words("node(s) didn't match pod topology spread constraints (missing required label)"),
            "has not the label over which the pods are spread");
  EXPECT_EQ(reason_words("the budget of the zone is spent"), "the budget of the zone is spent");
  EXPECT_EQ(strategy_words("ZoneBudget"), "ZoneBudget");
}

TEST(Words, OfTaintsThreeAreNamed) {
  Rejection rejection{.reason = "node(s) had untolerated taint(s)"};
  EXPECT_EQ(reason_words(rejection), "has a taint that the pod does not tolerate");
  rejection.taints = {"a:NoSchedule", "b=1:NoExecute", "c:NoSchedule", "d:NoSchedule"};
  rejection.taints_total = 9;
  EXPECT_EQ(
      reason_words(rejection),
      "has a taint that the pod does not tolerate: a:NoSchedule, b=1:NoExecute, c:NoSchedule and 6 more");
}

TEST(Words, WhatIsMissing) {
  const auto missing = [](const char* resource, const char* least) {
    Rejection rejection;
    rejection.resource = resource;
    rejection.least = least;
    return missing_words(rejection);
  };
  EXPECT_EQ(missing("cpu", "54250m"), "54.25 cpu");
  EXPECT_EQ(missing("memory", "2816Mi"), "2.75Gi memory");
  EXPECT_EQ(missing("pods", "1"), "1 pod");
  EXPECT_EQ(missing("pods", "2"), "2 pods");
  EXPECT_EQ(missing("", ""), "");
}

TEST(Flow, QuotesWhatYamlWouldTakeForSomethingElse) {
  EXPECT_EQ(flow(json::parse(R"([{"key": "gpu", "operator": "Exists"}, "true", "1", 2, ""])")),
            R"([{key: gpu, operator: Exists}, "true", "1", 2, ""])");
}

TEST(Report, AbsentAndStrangeFieldsAreEmpty) {
  for (const char* text :
       {"null", "[]", "{}", R"({"status": 3})", R"({"status": {"choice": [], "topNodes": {}}})",
        R"({"spec": {"dryRun": "yes"}, "status": {"strategies": [1], "attempts": -1}})"}) {
    const auto report = read_report(json::parse(text));
    EXPECT_EQ(report.outcome, "") << text;
    EXPECT_FALSE(report.choice) << text;
    EXPECT_EQ(report.attempts, 0u) << text;
    EXPECT_FALSE(why(report, "a/b", plain()).empty());
  }
}

// The forms that controller/ writes: its own fixtures.
Report written(const std::string& name, bool question) {
  std::ifstream in("unit/controller/report/forms/" + name + ".json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  json::object spec{{"dryRun", question}, {"podRef", json::object{{"name", "web"}, {"uid", "u"}}}};
  return read_report(json::object{{"metadata", json::object{{"generation", 1}}},
                                  {"spec", std::move(spec)},
                                  {"status", json::parse(text)}});
}

TEST(Report, ReadsWhatPodiumWrites) {
  const auto scheduled = written("scheduled", false);
  ASSERT_TRUE(scheduled.choice);
  EXPECT_EQ(scheduled.choice->node, "n2");
  EXPECT_EQ(scheduled.choice->tied, 2u);
  EXPECT_EQ(scheduled.choice->margin, 10);
  EXPECT_EQ(scheduled.strategies.size(), 2u);
  ASSERT_EQ(scheduled.top.size(), 3u);
  EXPECT_EQ(scheduled.top[2].strategies, (std::vector<std::int64_t>{100, 0}));
  EXPECT_EQ(scheduled.rejections[0].least, "500m");
  EXPECT_EQ(scheduled.preemption->total, 4u);
  EXPECT_EQ(scheduled.history.size(), 2u);
  EXPECT_NE(why(scheduled, "shop/web", plain())
                .find("Lead over n3, the best with fewer points: 10 (image present +10)."),
            std::string::npos);
  EXPECT_FALSE(written("gated", false).gates.empty());
  const auto refused = written("refused", true);
  EXPECT_EQ(refused.refused, "spec.profile: unknown profile");
  EXPECT_EQ(exit_code(refused), 2);
  const auto answer = written("answer", true);
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.asked, 3u);
  EXPECT_EQ(answer.fitting, 2u);
  ASSERT_TRUE(answer.failure);
  EXPECT_EQ(answer.failure->replica, 3u);
  EXPECT_EQ(answer.failure->rejections_total, 1u);
  EXPECT_EQ(answer.verdicts[1].would_fit_with, "toleration of gpu");
  EXPECT_EQ(answer.fixes[0].fields, "{resource: cpu, most: \"1500m\"}");
  EXPECT_EQ(answer.group->domains[0].missing, 1u);
  EXPECT_EQ(answer.not_modelled, std::vector<std::string>{"extenders"});
}

TEST(Why, NamesTheNodeTheTieAndTheSum) {
  EXPECT_EQ(
      why(read_report(scheduled_report()), "shop/web-07", plain()),
      "shop/web-07 is on general-01: 404 points, a tie of 18 nodes, drawn by the pod's UID.\n"
      "54 of 66 nodes fit.  points = weight × score\n"
      "                         general-01*  general-02  general-03  general-00\n"
      "  cpu and memory                  95          95          95          96\n"
      "  image present                    9           9           9           0\n"
      "  equal on all of these          300         300         300         300\n"
      "  total                          404         404         404         396\n"
      "Equal on all of these: taints 3×100=300.\n"
      "Lead over general-00, the best with fewer points: 8 (cpu and memory -1, image present +9).\n"
      "Turned down:\n"
      "  9 nodes  has a taint that the pod does not tolerate: gpu=a100:NoSchedule and gpu=t4:NoSchedule  "
      "gpu-00, gpu-01, gpu-02 and 6 more\n"
      "  3 nodes  is cordoned                                                                            "
      "drained-00, drained-01 and drained-02\n");
}

TEST(Why, EveryColumnAddsUp) {
  const auto report = read_report(scheduled_report());
  for (const auto& node : report.top) {
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < report.strategies.size(); ++s) {
      sum += report.strategies[s].weight * node.strategies[s];
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
  report.nodes.feasible = 1;
  report.top.resize(1);
  report.choice->tied = 1;
  report.choice->margin.reset();
  const auto text = why(report, "shop/web-07", plain());
  EXPECT_TRUE(text.starts_with("shop/web-07 is on general-01: 404 points, the only node that fits.\n"))
      << text;
  EXPECT_NE(text.find("  taints            3×100=300\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Lead"), std::string::npos) << text;
}

TEST(Why, APendingPodHearsWhatIsShort) {
  EXPECT_EQ(
      why(read_report(pending_report()), "ml/big-2", plain()),
      "ml/big-2 is pending: no node fits (66 nodes).\n"
      "Turned down:\n"
      "  66 nodes  has not enough nvidia.com/gpu free; least short: 7 nvidia.com/gpu  gpu-02 and 65 more\n"
      "Evicting other pods would not help.\n"
      "12 attempts, the last 10m ago.\n"
      "Earlier attempts:\n"
      "  20m ago  Unschedulable  Insufficient cpu (60 nodes)\n");
}

TEST(Why, PreemptionNamesItsVictims) {
  auto report = read_report(pending_report());
  report.preemption = Eviction{"n3", {"batch/a", "batch/b"}, 2};
  EXPECT_NE(why(report, "ml/big-2", plain())
                .find("Preemption: batch/a and batch/b on n3 are evicted to make room.\n"),
            std::string::npos);
  auto placed = read_report(scheduled_report());
  placed.preemption = Eviction{"general-01", {"batch/a"}, 1};
  EXPECT_NE(why(placed, "shop/web-07", plain()).find("\nTo make room, batch/a had to go.\n"),
            std::string::npos);
}

TEST(Why, AGatedPodWaitsForItsGates) {
  Report report;
  report.outcome = "Gated";
  report.gates = {"example/quota", "b"};
  EXPECT_EQ(why(report, "batch/x", plain()),
            "batch/x waits for its scheduling gates: example/quota, b. No node was evaluated.\n");
}

TEST(WhyNode, SaysNoThenWhatWouldHelp) {
  EXPECT_EQ(why_node(read_report(node_answer()), "shop/web-07", plain()),
            "No: gpu-03 turns shop/web-07 down.\n"
            "  ✗ it has a taint that the pod does not tolerate: gpu=true:NoSchedule\n"
            "  ✗ cpu 4 of 3.2 free\n"
            "  ✓ memory 512Mi of 20Gi free\n"
            "  ✓ not cordoned  ✓ spread of the pods\n"
            "What would let it run, each tried on a copy of the cluster's state:\n"
            "  tolerate the taint gpu=true:NoSchedule (on gpu-03, 486 points)\n"
            "    tolerations:\n"
            "    - {key: gpu, operator: Equal, value: \"true\", effect: NoSchedule}\n"
            "With \"tolerate the taint gpu=true:NoSchedule\", gpu-03 has 9 points more than general-01.\n");
}

TEST(WhyNode, ASnippetQuotesAnEmptyValueAndEscapesWhatIsNoText) {
  const auto snippet = [](std::string_view taint) {
    const auto fix = fmt::format(R"({{"type": "TolerateTaint", "message": "m", "taint": {}}})", taint);
    return read_report(json::parse(fmt::format(
                           R"({{"spec": {{"dryRun": true}}, "status": {{"fixes": [{}]}}}})", fix)))
        .fixes[0]
        .snippet;
  };
  EXPECT_EQ(snippet(R"({"key": "example.com/gone", "value": "", "effect": "NoExecute"})"),
            "tolerations:\n- {key: example.com/gone, operator: Equal, value: \"\", effect: NoExecute}\n");
  EXPECT_EQ(snippet(R"({"key": "a\nb", "effect": "NoSchedule"})"),
            "tolerations:\n- {key: \"a\\nb\", operator: Equal, value: \"\", effect: NoSchedule}\n");
  EXPECT_EQ(snippet("3"), "");
}

TEST(WhyNode, AnOlderPodiumNamesTheFirstReasonOnly) {
  auto report = read_report(node_answer());
  report.fixes.clear();
  report.verdicts[0].checks.clear();
  report.verdicts[0].resources.clear();
  EXPECT_EQ(why_node(report, "shop/web-07", plain()),
            "No: gpu-03 turns shop/web-07 down.\n"
            "  ✗ it has a taint that the pod does not tolerate\n"
            "No single change that podium tried would let it fit there.\n");
}

TEST(WhyNode, SaysThatNoSingleChangeHelps) {
  auto report = read_report(node_answer());
  report.fixes.clear();
  report.verdicts[0].checks.resize(2);
  EXPECT_EQ(why_node(report, "shop/web-07", plain()),
            "No: gpu-03 turns shop/web-07 down.\n"
            "  ✗ it has a taint that the pod does not tolerate: gpu=true:NoSchedule\n"
            "  ✓ not cordoned\n"
            "No single change that podium tried would let it fit there.\n");
}

TEST(WhyNode, SaysYesWithTheRank) {
  auto report = read_report(node_answer());
  report.fixes.clear();
  report.verdicts = {{.node = "general-09", .fits = true, .score = 470, .rank = 30}};
  EXPECT_EQ(why_node(report, "shop/web-07", plain()),
            "Yes: shop/web-07 fits general-09 with 470 points, rank 30 of 54.\n"
            "general-01 is better by 7.\n");
}

TEST(WhatIf, SaysHowManyFitAndWhatStopsTheNext) {
  const auto report = read_report(partly_answer());
  EXPECT_EQ(what_if(report, "shop/web", plain()),
            "shop/web: 13 of 20 fit.\n"
            "  NODE  PODS\n"
            "  n1       7\n"
            "  n2       6\n"
            "Replica 14 does not fit any more.\n"
            "Turned down:\n"
            "  12 nodes  has not enough cpu free; least short: 500m cpu  n1, n2, n3 and 9 more\n"
            "With these changes:\n"
            "  DrainNode n9: 4 pods evicted: 4 would move, 0 would stay pending\n"
            "What would let it run, each tried on a copy of the cluster's state:\n"
            "  one more node like n1 (on n1-new, 310 points)\n"
            "    {count: 1, like: n1}\n"
            "podium does not model: quota, extender https://x.\n"
            "Nothing was created.\n");
  EXPECT_EQ(exit_code(report), 3);
}

Report all_fit() {
  auto report = read_report(partly_answer());
  report.asked = report.fitting = 13;
  report.failure.reset();
  report.changes.clear();
  report.fixes.clear();
  report.not_modelled.clear();
  return report;
}

TEST(WhyNode, ANodeThatIsNotThereIsNamed) {
  Report report;
  report.verdicts = {{.node = "node-8", .code = "UnknownNode", .reasons = {"the cluster has no such node"}}};
  EXPECT_EQ(why_node(report, "shop/web-07", plain()), "There is no node node-8.\n");
}

TEST(WhatIf, CountsByZoneBesideNow) {
  auto report = all_fit();
  report.zones = {{"b", 7, 0}, {"a", 6, 3}, {"c", 0, 0}};
  report.zones_total = 3;
  report.room = Room{43, false, read_report(partly_answer()).failure};
  EXPECT_EQ(what_if(report, "shop/web", plain(), "--drain n1"),
            "shop/web: all 13 fit; room for 43 more after that.\n"
            "  ZONE  NOW  THEN\n"
            "  a       3     6\n"
            "  b       0     7\n"
            "  c       0     0\n"
            "Nodes: n1 7 and n2 6.\n"
            "After that 12 nodes: has not enough cpu free; least short: 500m cpu.\n"
            "Nothing was created. Compare: --drain n1\n");
  report.zones[1].now = 0;
  report.room = Room{9987, true, {}};
  EXPECT_EQ(what_if(report, "shop/web", plain(), "--drain n1"),
            "shop/web: all 13 fit; room for at least 9987 more after that.\n"
            "  ZONE  PODS\n"
            "  a        6\n"
            "  b        7\n"
            "  c        0\n"
            "Nodes: n1 7 and n2 6.\n"
            "Nothing was created. Compare: --drain n1\n");
}

TEST(WhatIf, ZonesAndNodesThatAreNotListedAreCounted) {
  auto report = all_fit();
  report.asked = report.fitting = 500;
  report.zones = {{"a", 200, 0}, {"b", 180, 0}};
  report.zones_total = 5;
  report.placements_total = 400;
  EXPECT_EQ(what_if(report, "shop/web", plain()),
            "shop/web: all 500 fit.\n"
            "  ZONE  PODS\n"
            "  a      200\n"
            "  b      180\n"
            "  and 3 more zones with 120 pods\n"
            "Nodes: n1 7, n2 6 and 398 more.\n"
            "Nothing was created.\n");
}

TEST(WhatIf, CountsByNodeWhereTheZonesSayNothing) {
  // None, one, and pods on a node of no zone.
  const std::vector<Zone> cases[] = {{}, {{"a", 13, 0}}, {{"a", 7, 0}, {"b", 5, 0}}};
  for (const auto& zones : cases) {
    auto report = all_fit();
    report.zones = zones;
    report.zones_total = zones.size();
    report.room = Room{};
    EXPECT_EQ(what_if(report, "shop/web", plain()),
              "shop/web: all 13 fit; no room for more after that.\n"
              "  NODE  PODS\n"
              "  n1       7\n"
              "  n2       6\n"
              "Nothing was created.\n");
  }
}

TEST(WhatIf, RoomAfterASinglePod) {
  auto report = read_report(partly_answer());
  report.asked = report.fitting = 1;
  report.outcome = "Fits";
  for (const auto& [room, words] :
       std::vector<std::pair<Room, std::string>>{{{45, false, {}}, "\nRoom for 45 more after that.\n"},
                                                 {{0, false, {}}, "\nNo room for more after that.\n"}}) {
    report.room = room;
    EXPECT_NE(what_if(report, "shop/web", plain()).find(words), std::string::npos);
  }
}

TEST(WhatIf, ADeadlineIsNoBound) {
  auto report = read_report(partly_answer());
  report.failure.reset();
  EXPECT_NE(what_if(report, "shop/web", plain()).find("\npodium stopped at its deadline; more may fit.\n"),
            std::string::npos);
  EXPECT_TRUE(capacity(report, "shop/web", plain())
                  .starts_with(fmt::format("shop/web: room for at least {}.\n", report.fitting)));
}

TEST(WhatIf, ARefusedQuestionHasItsReason) {
  const auto report = read_report(refused_answer());
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(what_if(report, "shop/web", plain()),
            "shop/web: refused: spec.profile: unknown profile \"gone\"\n");
  EXPECT_EQ(exit_code(report), 2);
}

TEST(WhatIf, CapacityIsWhatFits) {
  auto report = read_report(partly_answer());
  EXPECT_TRUE(capacity(report, "shop/web", plain()).starts_with("shop/web: room for 13.\n"));
  report.fitting = 20;
  EXPECT_TRUE(capacity(report, "shop/web", plain()).starts_with("shop/web: room for at least 20.\n"));
}

TEST(WhatIf, AnAnswerToAnEarlierGenerationIsNone) {
  auto object = refused_answer();
  object.as_object()["metadata"].as_object()["generation"] = 2;
  for (auto& condition : object.as_object()["status"].as_object()["conditions"].as_array()) {
    condition.as_object()["observedGeneration"] = 1;
  }
  EXPECT_FALSE(read_report(object).complete);
}

TEST(WhatIf, ExitCodesAreForScripts) {
  const std::pair<const char*, int> cases[] = {
      {"Fits", 0}, {"PartlyFits", 3}, {"DoesNotFit", 4}, {"Failed", 1}, {"", 1}};
  for (const auto& [outcome, code] : cases) {
    Report report;
    report.outcome = outcome;
    EXPECT_EQ(exit_code(report), code) << outcome;
  }
}

WaitingPod waiting(const std::string& name, const std::string& more = "") {
  const auto pod = json::parse(
      R"({"metadata": {"namespace": "ml", "name": ")" + name +
      R"(", "uid": "u", "creationTimestamp": "2026-11-23T01:51:00Z"}, "spec": {)" + more +
      R"("containers": [{"resources": {"requests": {"cpu": "4", "memory": "2Gi", "nvidia.com/gpu": "8"}}},
                        {"resources": {"requests": {"memory": "512Mi"}}}]}, "status": {"phase": "Pending"}})");
  return *read_waiting_pod(pod);
}

TEST(Pending, GroupsByReason) {
  std::vector<WaitingPod> pods;
  for (const char* name : {"big-2", "big-10", "big-3", "big-4"}) pods.push_back(waiting(name));
  pods.push_back(waiting("gated-1", R"("schedulingGates": [{"name": "example/quota"}], )"));
  for (auto& pod : pods) {
    if (pod.gates.empty()) pod.report = read_report(pending_report());
  }
  pods[1].name = "big-5";
  EXPECT_EQ(pending_table(group_waiting(std::move(pods)), plain()),
            "4 pods wait; 1 more is gated.\n"
            "PODS        WAIT  ASKS                            BLOCKED BY                                   "
            "       "
            "NEAREST MISS\n"
            "ml/big-2…5   19m  8 nvidia.com/gpu, 4 cpu, 2.5Gi  66 of 66 nodes: has not enough "
            "nvidia.com/gpu free  "
            "gpu-04: 7 nvidia.com/gpu short\n"
            "ml/gated-1   19m  8 nvidia.com/gpu, 4 cpu, 2.5Gi  gate example/quota                           "
            "       "
            "-\n"
            "Evicting other pods would help none of them.\n"
            "Next: kubectl podium why big-2 -n ml\n");
}

// An API server does not take such a name; an answer that is not an API server's may have it.
TEST(Pending, NamesOfResourcesArePrintable) {
  const auto pod = json::parse(R"({"metadata": {"namespace": "ml", "name": "p", "uid": "u",
      "creationTimestamp": "2026-11-23T01:51:00Z"}, "spec": {"containers": [
      {"resources": {"requests": {"a\u001b[31m": "1", "b\u009b31m": "2"}}}]}, "status": {"phase": "Pending"}})");
  std::vector<WaitingPod> pods{*read_waiting_pod(pod)};
  const auto text = pending_table(group_waiting(std::move(pods)), plain());
  EXPECT_NE(text.find("1 a[31m, 2 b31m"), std::string::npos) << text;
}

TEST(Pending, ANearestMissNamesItsNodeWhereTheReportHasIt) {
  const auto nearest = [](const char* shortfall) {
    auto pod = waiting("huge");
    pod.report = read_report(json::parse(fmt::format(
        R"({{"status": {{"outcome": "Unschedulable", "rejections": [{{"reason": "r", "nodeCount": 9, "shortfall": {}}}]}}}})",
        shortfall)));
    return group_waiting({std::move(pod)}).front().nearest_miss;
  };
  EXPECT_EQ(nearest(R"({"resource": "cpu", "least": "54250m", "nodeName": "n\u001b7"})"),
            "n7: 54.25 cpu short");
  EXPECT_EQ(nearest(R"({"resource": "memory", "least": "500Mi"})"), "500Mi memory short")
      << "an older podium";
  EXPECT_EQ(nearest(R"({"resource": "pods", "least": "1", "nodeName": "n1"})"), "n1: 1 pod short");
  EXPECT_EQ(nearest("null"), "-");
}

TEST(Pending, BlockedByATaintNamesIt) {
  auto pod = waiting("web");
  pod.report = read_report(json::parse(R"json({"status": {
    "outcome": "Unschedulable", "nodeCounts": {"total": 2},
    "rejections": [{"reason": "node(s) had untolerated taint(s)", "nodeCount": 2,
                    "taints": ["gpu:NoSchedule"]}]}})json"));
  EXPECT_EQ(group_waiting({std::move(pod)}).front().blocked_by,
            "2 of 2 nodes: has a taint that the pod does not tolerate: gpu:NoSchedule");
}

TEST(Pending, NamesWithGapsAndOtherNamesAreCounted) {
  const auto names = [](const std::vector<std::string>& given) {
    std::vector<WaitingPod> pods;
    for (const auto& name : given) pods.push_back(waiting(name));
    return group_waiting(std::move(pods)).front().pods;
  };
  EXPECT_EQ(names({"big-2", "big-9"}), "ml/big-* (2)");
  EXPECT_EQ(names({"web-6d5f-abcde", "web-6d5f-fghij"}), "ml/web-6d5f-* (2)");
  EXPECT_EQ(names({"one"}), "ml/one");
}

TEST(Pending, PlacedAndEndedPodsDoNotWait) {
  EXPECT_FALSE(
      read_waiting_pod(json::parse(R"({"spec": {"nodeName": "n"}, "status": {"phase": "Pending"}})")));
  EXPECT_FALSE(read_waiting_pod(json::parse(R"({"spec": {}, "status": {"phase": "Failed"}})")));
  EXPECT_FALSE(read_waiting_pod(json::parse("3")));
  EXPECT_EQ(pending_table({}, plain()), "No pod waits.\n");
}

}  // namespace
}  // namespace podium::render
