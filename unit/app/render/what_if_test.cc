// `podium whatif` and `capacity`: from an answer's JSON to the exact text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/render/what_if.h"
#include "app/render/words_json.h"
#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

TEST(WhatIf, SaysHowManyFitAndWhatStopsTheNext) {
  auto report = read_report(partly_answer());
  EXPECT_EQ(what_if(report, "shop/web", plain()),
            "shop/web: 13 of 20 fit.\n"
            "  NODE  PODS\n"
            "  n1       7\n"
            "  n2       6\n"
            "Replica 14 does not fit.\n"
            "Rejected nodes:\n"
            "  12 nodes  do not have enough free cpu; closest: 500m cpu short  n1, n2, n3 and 9 more\n"
            "With these changes:\n"
            "  DrainNode n9: 4 pods evicted: 4 would move, 0 would stay pending\n"
            "What would let more run, each tried on a copy of the cluster's state:\n"
            "  one more node like n1 → 15 of 20 fit\n"
            "podium does not model: quota, extender https://x.\n"
            "Nothing was created.\n");
  EXPECT_EQ(exit_code(report), 3);
  report.status.preemption = explain::Preempted{"n4", {{"batch", "a"}}, 1};
  EXPECT_NE(what_if(report, "shop/web", plain())
                .find("n1, n2, n3 and 9 more\n"
                      "Preemption: batch/a on n4 would be evicted to make room.\n"),
            std::string::npos);
}

// No node is at fault.
TEST(WhatIf, AReasonOfThePodsIsNotThatOfNodes) {
  auto report = read_report(partly_answer());
  report.status.answer->first_failure->rejections = {
      {.code = "ClaimNotFound", .nodes = 12, .about = {{framework::Topic::claim, "data"}}}};
  const auto text = what_if(report, "shop/web", plain());
  EXPECT_TRUE(text.contains("\nReplica 14 does not fit.\nIts claim data does not exist.\nWith these"))
      << text;
}

// Its pods are for one node each, so that they have no number.
TEST(WhatIf, ADaemonSetNamesTheNodesWithoutAPlace) {
  auto report = read_report(partly_answer());
  auto& answer = *report.status.answer;
  answer.first_failure->replica = 0;
  EXPECT_TRUE(what_if(report, "shop/log", plain()).contains("  n2       6\nRejected nodes:\n  12 nodes  do"));
  answer.stuck_rollout = explain::StuckRollout{2, 1, 0, *answer.first_failure};
  auto& rejection = answer.stuck_rollout->first_failure.rejections.front();
  rejection.nodes = 1;
  EXPECT_EQ(stuck_rollout_line(report),
            "A rolling update (maxSurge 1, maxUnavailable 0) would get stuck after 2 of 20: next to the pods "
            "that it replaces, n1 does not have enough free cpu; 500m cpu short.\n");
}

Report all_fit() {
  auto report = read_report(partly_answer());
  report.status.answer->asked = report.status.answer->fitting = 13;
  report.status.answer->first_failure.reset();
  report.status.answer->changes.clear();
  report.status.answer->fixes.clear();
  report.status.answer->not_modelled.clear();
  return report;
}

TEST(WhatIf, CountsByZoneNextToNow) {
  auto report = all_fit();
  report.status.answer->zones = {{"b", 7, 0}, {"a", 6, 3}, {"c", 0, 0}};
  report.status.answer->zones_total = 3;
  report.status.answer->room =
      explain::ReplicaRoom{43, false, read_report(partly_answer()).status.answer->first_failure};
  EXPECT_EQ(what_if(report, "shop/web", plain(), "--drain n1"),
            "shop/web: all 13 fit; room for 43 more after that.\n"
            "  ZONE  NOW  THEN\n"
            "  a       3     6\n"
            "  b       0     7\n"
            "  c       0     0\n"
            "Nodes: n1 7 and n2 6.\n"
            "After that 12 nodes do not have enough free cpu; closest: 500m cpu short.\n"
            "Nothing was created. Compare: --drain n1\n");
  report.status.answer->zones[1].now = 0;
  report.status.answer->room = explain::ReplicaRoom{9987, true, {}};
  EXPECT_EQ(what_if(report, "shop/web", plain(), "--drain n1"),
            "shop/web: all 13 fit; room for at least 9987 more after that.\n"
            "  ZONE  PODS\n"
            "  a        6\n"
            "  b        7\n"
            "  c        0\n"
            "Nodes: n1 7 and n2 6.\n"
            "Nothing was created. Compare: --drain n1\n");
}

TEST(WhatIf, SaysWhatTheNodesHaveRoomForAndWhatAQuotaAllows) {
  auto report = all_fit();
  report.ns = "shop";
  auto& answer = *report.status.answer;
  explain::set_quotas(answer,
                      {{.name = "q",
                        .allowed = 5,
                        .resources = {{"pods", "0", "13", "5", true}, {"requests.cpu", "0", "6500m", "8"}}}});
  EXPECT_EQ(what_if(report, "shop/web", plain()),
            "shop/web: the nodes have room for all 13, quota q allows 5.\n"
            "  NODE  PODS\n"
            "  n1       7\n"
            "  n2       6\n"
            "Quota q (namespace shop): pods 13/5, requests.cpu 6500m/8: exceeded from replica 6 on.\n"
            "Nothing was created.\n");
  EXPECT_TRUE(capacity(report, "shop/web", plain())
                  .starts_with("shop/web: the nodes have room for at least 13, quota q allows 5.\n  NO"));
  EXPECT_EQ(words_json(report.status, "shop", Asked{}).at("quotaVerdict"),
            "the nodes have room for all 13, quota q allows 5");
  explain::set_quotas(answer, {{.name = "q", .allowed = 20, .resources = {{"pods", "0", "13", "20"}}}});
  answer.room = explain::ReplicaRoom{43, false, {}};
  const auto some = what_if(report, "shop/web", plain());
  EXPECT_EQ(some.substr(0, some.find('\n')),
            "shop/web: all 13 fit; the nodes have room for 43 more after that, quota q allows 7.");
  EXPECT_NE(some.find("Quota q (namespace shop): pods 13/20: allows 7 more.\n"), some.npos);
  explain::set_quotas(answer, {{.name = "q", .allowed = 0, .reason = "must specify memory for: main"}});
  const auto none = what_if(report, "shop/web", plain());
  EXPECT_EQ(none.substr(0, none.find('\n')),
            "shop/web: the nodes have room for all 13, quota q allows none; the nodes have room for 43 more "
            "after that.");
  EXPECT_NE(none.find("Quota q (namespace shop): refuses these pods: must specify memory for: main.\n"),
            none.npos);
}

TEST(WhatIf, SaysHowManyFitWithPreemption) {
  auto report = all_fit();
  auto& answer = *report.status.answer;
  report.status.outcome = "PartlyFits";
  answer.asked = 20;
  const auto first_line = [&](const std::string& text) { return text.substr(0, text.find('\n')); };
  const auto asked = [&](const explain::WithPreemption& with) {
    answer.with_preemption = with;
    return first_line(what_if(report, "shop/web", plain()));
  };
  EXPECT_EQ(asked({20, 7}), "shop/web: 13 of 20 fit; all 20 do with preemption, which evicts 7 pods.");
  EXPECT_EQ(asked({14, 1}), "shop/web: 13 of 20 fit; 14 do with preemption, which evicts 1 pod.");
  EXPECT_EQ(asked({19, 2, true}),
            "shop/web: 13 of 20 fit; at least 19 do with preemption, which evicts 2 pods.");
  EXPECT_EQ(first_line(capacity(report, "shop/web", plain())),
            "shop/web: room for at least 13; for at least 19 with preemption, which evicts 2 pods.");
  answer.others_waiting = 1;
  EXPECT_NE(what_if(report, "shop/web", plain())
                .find("\n1 other pod waits for a node and may take some of this room first.\n"),
            std::string::npos);
}

TEST(WhatIf, SaysThatARollingUpdateGetsStuck) {
  auto report = all_fit();
  auto& stuck = report.status.answer->stuck_rollout.emplace();
  stuck = {.updated = 2, .max_surge = 1, .max_unavailable = 0};
  stuck.first_failure = {.replica = 3, .reason = "r", .message = "0/3 nodes are available."};
  EXPECT_EQ(
      stuck_rollout_line(report),
      "A rolling update (maxSurge 1, maxUnavailable 0) would get stuck at replica 3 of 13: next to the pods "
      "that it replaces, 0/3 nodes are available.\n");
  stuck.first_failure.rejections.push_back({.code = "InsufficientResource",
                                            .reason = "Insufficient cpu",
                                            .nodes = 3,
                                            .about = {{framework::Topic::resource, "cpu"}}});
  stuck.first_failure.rejections.front().shortfall = explain::MissingAmount{.resource = "cpu", .least = "2"};
  const auto text = what_if(report, "shop/web", plain());
  EXPECT_TRUE(
      text.starts_with("shop/web: all 13 fit.\n"
                       "A rolling update (maxSurge 1, maxUnavailable 0) would get stuck at replica 3 of 13: "
                       "next to the pods that it "
                       "replaces, 3 nodes do not have enough free cpu; closest: 2 cpu short.\n"))
      << text;
  // The controller deletes the old pod first.
  stuck.max_surge = 0;
  stuck.max_unavailable = 1;
  EXPECT_EQ(
      stuck_rollout_line(report),
      "A rolling update (maxSurge 0, maxUnavailable 1) would get stuck at replica 3 of 13: 3 nodes do not "
      "have enough free cpu; closest: 2 cpu short.\n");
}

TEST(WhatIf, SaysNothingOfAnUpdateThatOnlyTheQuotaStops) {
  auto report = all_fit();
  auto& answer = *report.status.answer;
  auto& stuck = answer.stuck_rollout.emplace();
  stuck = {.updated = 2, .max_surge = 1, .max_unavailable = 1};
  stuck.first_failure = {.replica = 3, .reason = "r", .message = "quota q allows no more pods"};
  answer.quotas.push_back({.name = "q", .allowed = 2});
  EXPECT_EQ(stuck_rollout_line(report), "") << "the first line says that it allows 2";
  answer.quotas.front().allowed = 5;
  EXPECT_NE(stuck_rollout_line(report), "") << "those that it replaces count too";
}

TEST(WhatIf, SaysThatAQuotaRefusesASinglePod) {
  auto report = read_report(scheduled_report());
  report.ns = "shop";
  report.is_question = true;
  report.status.outcome = "DoesNotFit";
  auto& answer = report.status.answer.emplace();
  answer.fitting = 1;
  explain::set_quotas(answer, {{.name = "q", .allowed = 0, .resources = {{"pods", "5", "6", "5", true}}}});
  const auto said = what_if(report, "shop/web", plain());
  EXPECT_TRUE(
      said.starts_with("shop/web: a quota refuses it.\n"
                       "Quota q (namespace shop): pods 6/5: exceeded from replica 1 on.\n"
                       "If it did not: shop/web would go to "))
      << said;
  EXPECT_EQ(exit_code(report), 4);
}

TEST(WhatIf, ZonesAndNodesThatAreNotListedAreCounted) {
  auto report = all_fit();
  report.status.answer->asked = report.status.answer->fitting = 500;
  report.status.answer->zones = {{"a", 200, 0}, {"b", 180, 0}};
  report.status.answer->zones_total = 5;
  report.status.answer->placements_total = 400;
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
  const std::vector<explain::ZonePlacements> cases[] = {{}, {{"a", 13, 0}}, {{"a", 7, 0}, {"b", 5, 0}}};
  for (const auto& zones : cases) {
    auto report = all_fit();
    report.status.answer->zones = zones;
    report.status.answer->zones_total = zones.size();
    report.status.answer->room = explain::ReplicaRoom{};
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
  report.status.answer->asked = report.status.answer->fitting = 1;
  report.status.outcome = "Fits";
  for (const auto& [room, words] : std::vector<std::pair<explain::ReplicaRoom, std::string>>{
           {{45, false, {}}, "\nRoom for 45 more after that.\n"},
           {{0, false, {}}, "\nNo room for more after that.\n"}}) {
    report.status.answer->room = room;
    EXPECT_NE(what_if(report, "shop/web", plain()).find(words), std::string::npos);
  }
}

TEST(WhatIf, ADeadlineIsNotABound) {
  auto report = read_report(partly_answer());
  report.status.answer->first_failure.reset();
  EXPECT_NE(what_if(report, "shop/web", plain()).find("\npodium stopped at its deadline; more may fit.\n"),
            std::string::npos);
  EXPECT_TRUE(
      capacity(report, "shop/web", plain())
          .starts_with(fmt::format("shop/web: room for at least {}.\n", report.status.answer->fitting)));
}

TEST(WhatIf, ARefusedQuestionHasItsReason) {
  const auto report = read_report(refused_answer());
  EXPECT_TRUE(is_complete(report));
  EXPECT_EQ(what_if(report, "shop/web", plain()),
            "shop/web: refused: spec.profile: unknown profile \"gone\"\n");
  EXPECT_EQ(exit_code(report), 2);
}

TEST(WhatIf, CapacityIsWhatFits) {
  auto report = read_report(partly_answer());
  EXPECT_TRUE(capacity(report, "shop/web", plain()).starts_with("shop/web: room for 13.\n"));
  report.status.answer->fitting = 20;
  EXPECT_TRUE(capacity(report, "shop/web", plain()).starts_with("shop/web: room for at least 20.\n"));
}

TEST(WhatIf, AnAnswerToAnEarlierGenerationIsNone) {
  auto object = refused_answer();
  object.as_object()["metadata"].as_object()["generation"] = 2;
  for (auto& condition : object.as_object()["status"].as_object()["conditions"].as_array()) {
    condition.as_object()["observedGeneration"] = 1;
  }
  EXPECT_FALSE(is_complete(read_report(object)));
}

TEST(WhatIf, ExitCodesAreForScripts) {
  const std::pair<const char*, int> cases[] = {
      {"Fits", 0}, {"PartlyFits", 3}, {"DoesNotFit", 4}, {"Failed", 1}, {"", 1}};
  for (const auto& [outcome, code] : cases) {
    Report report;
    report.status.outcome = outcome;
    EXPECT_EQ(exit_code(report), code) << outcome;
  }
}

}  // namespace
}  // namespace podium::render
