// ReportWriter writes one report for each pod, with what happened to the pod.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "controller/report_metadata.h"
#include "unit/controller/report_writer_fixture.h"

namespace podium::controller::report_writer_test {
namespace {

TEST(ReportWriter, MakesTheReportUnderThePodsNameAndSaysWhatHappened) {
  Writing w;
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
  const auto report = w.report("web");
  EXPECT_EQ(report.at("spec"),
            json::parse(R"({"podRef":{"name":"web","uid":"uid-of-web"},"dryRun":false,"ttlSeconds":86400})"));
  EXPECT_EQ(report.at("status").at("choice").at("nodeName"), "n1");
  EXPECT_EQ(report.at("status").at("topNodes").as_array().size(), 1u);
  EXPECT_EQ(ObjectServer::text(report, "/status/conditions/0/message"), "placed on n1");
  const auto kept = *parse_time(ObjectServer::text(report, "/status/expiresAt")) -
                    *parse_time(ObjectServer::text(report, "/status/decidedAt"));
  EXPECT_EQ(kept, w.settings.now()->reports.ttl);
  EXPECT_EQ(ObjectServer::text(report, "/metadata/labels/podium.dev~1report"), "decision");
  EXPECT_EQ(ObjectServer::text(report, "/metadata/labels/podium.dev~1outcome"), "Scheduled");
  EXPECT_EQ(ObjectServer::text(report, "/metadata/labels/podium.dev~1expires"),
            expiry_minute(*parse_time(ObjectServer::text(report, "/status/expiresAt"))));
  EXPECT_EQ(ObjectServer::text(report, "/metadata/annotations/podium.dev~1ttl"), "86400");
  EXPECT_EQ(w.server.requests("PATCH"), Lines{"PATCH " + kReports + "/web/status"})
      << "the labels cost nothing";
  EXPECT_EQ(w.retention.size(ReportKind::decision), 1u);
  EXPECT_EQ(w.writer.counts().written, 1u);
}

TEST(ReportWriter, APodHasOneReportForAllItsAttempts) {
  Writing w;
  w.set([](config::Podium& next) { next.reports.ttl = 10min; });
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    w.decide(huge("web"), attempt);
    w.run();
    EXPECT_EQ(w.reports(), Lines{fmt::format("web uid-of-web Unschedulable {}", attempt)});
    w.clock.advance(60s);
  }
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
  const auto status = w.report("web").at("status").as_object();
  EXPECT_FALSE(status.contains("rejections")) << "those of the attempts before are gone";
  EXPECT_EQ(status.at("history").as_array().size(), 3u);
  EXPECT_EQ(w.server.requests("POST"), Lines{"POST " + kReports});
  const auto of_status = "PATCH " + kReports + "/web/status", of_labels = "PATCH " + kReports + "/web";
  EXPECT_EQ(w.server.requests("PATCH"),
            (Lines{of_status, of_status, of_labels, of_status, of_labels, of_status, of_labels}))
      << "with 10 minutes to live, a minute is worth a label";
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/metadata/labels/podium.dev~1outcome"), "Scheduled");
}

TEST(ReportWriter, LabelsFollowTheOutcomeAndLagALittleBehindTheExpiry) {
  Writing w;
  const auto label = [&w](const char* name) {
    return ObjectServer::text(w.report("web"), std::string("/metadata/labels/podium.dev~1") + name);
  };
  w.decide(huge("web"), 1);
  w.run();
  const auto first = label("expires");
  w.clock.advance(2h);
  w.decide(huge("web"), 2);
  w.run();
  EXPECT_EQ(label("expires"), first);
  w.clock.advance(30min);
  w.decide(huge("web"), 3);
  w.run();
  EXPECT_NE(label("expires"), first);
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(label("outcome"), "Scheduled");
  EXPECT_EQ(w.server.requests("PATCH").size(), 4u + 2u);
}

TEST(ReportWriter, WithoutTheRightToChangeLabelsReportsGoOn) {
  Writing w;
  w.server.on_request = [](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "PATCH" || request.target.find("/status") != std::string::npos) return std::nullopt;
    return client::Response{403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":
        "schedulingreports.podium.dev \"web\" is forbidden: User \"x\" cannot patch resource"})"};
  };
  w.decide(huge("web"), 1);
  w.run();
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
  EXPECT_EQ(w.log.count("labels of reports are not kept up to date"), 1);
  EXPECT_EQ(w.writer.counts().retried, 0u);
}

TEST(ReportWriter, KeepsTheLastFiveAttemptsOfAPodThatHadToWait) {
  Writing w;
  for (std::uint32_t attempt = 1; attempt <= 6; ++attempt) {
    w.decide(huge("web"), attempt);
    w.clock.advance(10s);
  }
  w.decide(small("web"), 7);
  w.writer.binding_ended(info_of(small("web")), {.bound = false, .node = "n1", .error = "the node is gone"});
  w.bind(small("web"));
  w.run();
  const auto history = w.report("web").at("status").at("history").as_array();
  ASSERT_EQ(history.size(), 5u);
  EXPECT_EQ(ObjectServer::text(history[0], "/outcome"), "Failed");
  EXPECT_EQ(ObjectServer::text(history[0], "/reason"), "the node is gone");
  EXPECT_FALSE(history[0].as_object().contains("nodeCount"));
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(ObjectServer::text(history[i], "/outcome"), "Unschedulable");
    EXPECT_EQ(ObjectServer::text(history[i], "/reason"), "Insufficient cpu");
    EXPECT_EQ(history[i].at("nodeCount"), 1);
    EXPECT_GE(ObjectServer::text(history[i - 1], "/at"), ObjectServer::text(history[i], "/at"));
  }
  auto again = small("web");
  again.meta.uid = "another";
  w.bind(again);
  w.run();
  EXPECT_FALSE(w.report("web").at("status").as_object().contains("history")) << "another pod of this name";
}

TEST(ReportWriter, WhatAPodPreemptedStaysAfterItHasLanded) {
  Writing w;
  auto decision = framework::Decision();
  decision.message = "0/1 nodes are available";
  auto victim = pod("old").ns("batch").build();
  decision.preemption.emplace("n1", std::vector{cluster::make_pod_info(test::share(victim))});
  framework::Attempt attempt;
  attempt.pod = cluster::make_pod_info(test::share(huge("web")));
  attempt.profile = "default-scheduler";
  w.writer.decided(attempt, decision, snapshot());
  w.decide(huge("web"), 2);
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(
      w.report("web").at("status").at("preemption"),
      json::parse(R"({"nodeName":"n1","victims":[{"namespace":"batch","name":"old"}],"victimsTotal":1})"));
}

TEST(ReportWriter, AGatedPodHasAReportThatNamesItsGates) {
  Writing w;
  auto waiting = small("web");
  waiting.scheduling_gates = {"example.com/quota", "example.com/order"};
  for (int i = 0; i < 3; ++i) {
    w.writer.gated(info_of(waiting), {"SchedulingGates"}, w.cluster, w.clock.wall());
    w.run();
  }
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Gated 0"});
  EXPECT_EQ(w.report("web").at("status").at("schedulingGates"),
            json::parse(R"(["example.com/quota","example.com/order"])"));
  EXPECT_EQ(w.server.requests("PATCH").size(), 1u) << "nothing has changed";
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/status/conditions/0/status"), "False");
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
  EXPECT_FALSE(w.report("web").at("status").as_object().contains("schedulingGates"));
}

TEST(ReportWriter, TheConditionsTimeIsThatOfItsStatus) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  const auto first = ObjectServer::text(w.report("web"), "/status/conditions/0/lastTransitionTime");
  w.clock.advance(60s);
  w.decide(huge("web"), 2);
  w.run();
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/status/conditions/0/lastTransitionTime"), first);
  EXPECT_NE(ObjectServer::text(w.report("web"), "/status/decidedAt"), first);
  w.decide(small("web"), 3);
  w.writer.binding_ended(info_of(small("web")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/status/outcome"), "Failed");
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/status/conditions/0/lastTransitionTime"), first)
      << "another outcome, and still False";
  w.bind(small("web"));
  w.run();
  EXPECT_NE(ObjectServer::text(w.report("web"), "/status/conditions/0/lastTransitionTime"), first);
}

TEST(ReportWriter, OnlyTheLastOfTheDecisionsThatWaitIsWritten) {
  Writing w;
  for (std::uint32_t attempt = 1; attempt <= 50; ++attempt) w.decide(huge("web"), attempt);
  EXPECT_EQ(w.writer.counts().waiting, 1u);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Unschedulable 50"});
  EXPECT_EQ(w.server.requests("PATCH").size(), 1u);
  EXPECT_EQ(w.writer.counts().dropped, 0u);
}

TEST(ReportWriter, ABindingThatFailedIsSaid) {
  Writing w;
  w.decide(small("web"));
  w.writer.binding_ended(info_of(small("web")), {.bound = false, .node = "n1", .error = "the node is gone"});
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Failed 1"});
  EXPECT_EQ(w.report("web").at("status").at("message"), "the node is gone");
}

TEST(ReportWriter, ANameThatIsTakenGetsASuffix) {
  const std::string long_name(253, 'x');
  struct Case {
    const char *name, *spec;
    std::string pod;
    const char* expect;  // a regular expression
  };
  const Case cases[] = {
      {"by a what-if", R"({"dryRun":true,"podRef":{"name":"web"}})", "web", "web-[0-9a-f]{6}"},
      {"by a what-if about this pod", R"({"dryRun":true,"podRef":{"name":"web","uid":"uid-of-web"}})", "web",
       "web-[0-9a-f]{6}"},
      {"by a user's object about a pod that bore this name", R"({"podRef":{"name":"web","uid":"other"}})",
       "web", "web-[0-9a-f]{6}"},
      {"and the name is as long as may be", R"({"dryRun":true})", long_name, "x{246}-[0-9a-f]{6}"},
      {"and the cut is at a dot", R"({"dryRun":true})", std::string(244, 'x') + ".-" + std::string(7, 'y'),
       "x{244}-[0-9a-f]{6}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Writing w;
    w.server.put(kPlural,
                 {{"metadata", {{"name", c.pod}, {"namespace", "shop"}}}, {"spec", json::parse(c.spec)}});
    const auto before = w.report(c.pod);
    w.bind(small(c.pod));
    w.run();
    EXPECT_EQ(w.report(c.pod), before) << "what is not ours is left alone";
    const auto all = w.server.all(kPlural);
    ASSERT_EQ(all.size(), 2u);
    const auto& ours = ObjectServer::text(all[0], "/metadata/name") == c.pod ? all[1] : all[0];
    EXPECT_THAT(ObjectServer::text(ours, "/metadata/name"), testing::MatchesRegex(c.expect));
    EXPECT_EQ(ObjectServer::text(ours, "/status/outcome"), "Scheduled");
  }
}

TEST(ReportWriter, AReportFromBeforeARestartIsWrittenOn) {
  Writing w;
  w.server.put(kPlural,
               {{"metadata", {{"name", "web"}, {"namespace", "shop"}}},
                {"spec", {{"podRef", {{"name", "web"}, {"uid", "uid-of-web"}}}, {"dryRun", false}}}});
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
}

TEST(ReportWriter, AReplyThatIsLostMakesNoSecondReport) {
  Writing w;
  bool lost = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (lost || request.method != "POST") return std::nullopt;
    lost = true;
    w.server.put(kPlural, json::parse(request.body));
    Error error{Error::Kind::unavailable, "cut before the reply"};
    error.maybe_applied = true;
    return std::unexpected(error);
  };
  w.bind(small("web"));
  w.run();
  EXPECT_TRUE(lost);
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
}

TEST(ReportWriter, AStatusThatIsTooLargeIsShortenedOnce) {
  for (const int code : {413, 422}) {
    for (const bool for_good : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", code, for_good));
      Writing w;
      int patches = 0;
      w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
        if (request.method != "PATCH" || (++patches > 2 && !for_good)) return std::nullopt;
        return client::Response{code, "{}"};
      };
      w.bind(small("web"));
      w.run();
      EXPECT_EQ(patches, 3);  // with the others, alone, and shortened
      EXPECT_EQ(w.writer.counts().failed, for_good ? 1u : 0u);
      if (for_good) continue;
      EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
      EXPECT_FALSE(w.report("web").at("status").as_object().contains("strategies"));
    }
  }
}

TEST(ReportWriter, WritesAsTheSwitchesSay) {
  struct Case {
    const char* name;
    std::function<void(config::Podium::Reports&)> set;
    Lines expect;
  };
  const std::string placed = "placed uid-of-placed Scheduled 1",
                    pending = "pending uid-of-pending Unschedulable 1";
  const std::vector<Case> cases = {
      {"all", [](auto&) {}, {pending, placed}},
      {"none", [](auto& r) { r.enabled = false; }, {}},
      {"failures", [](auto& r) { r.only_failures = true; }, {pending}},
      {"no samples: failures all the same", [](auto& r) { r.sampling = 0; }, {pending}},
      {"not this namespace", [](auto& r) { r.exclude_namespaces = {"shop"}; }, {}},
      {"not another namespace", [](auto& r) { r.exclude_namespaces = {"kube-system"}; }, {pending, placed}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Writing w;
    w.set([&](config::Podium& next) { c.set(next.reports); });
    w.bind(small("placed"));
    w.decide(huge("pending"));
    w.run();
    EXPECT_EQ(w.reports(), c.expect);
  }
}

TEST(ReportWriter, ASwitchCountsFromTheNextDecisionOn) {
  Writing w;
  w.bind(small("a"));
  w.set([](config::Podium& next) { next.reports.enabled = false; });
  w.bind(small("b"));
  w.decide(small("c"));
  w.set([](config::Podium& next) { next.reports = {.only_failures = true}; });
  w.writer.binding_ended(info_of(small("c")), {.bound = true, .node = "n1"});
  w.decide(huge("d"));
  w.run();
  EXPECT_EQ(w.reports(), (Lines{"a uid-of-a Scheduled 1", "d uid-of-d Unschedulable 1"}));
}

TEST(ReportWriter, NamespacesAreSelectedByTheirLabels) {
  struct Case {
    const char* name;
    const char* namespace_labels;  // "": the namespace is not known
    api::Requirement requirement;
    bool reported;
  };
  using enum api::Requirement::Op;
  const Case cases[] = {
      {"has it", "team", {"team", exists, {}}, true},
      {"has another", "other", {"team", exists, {}}, false},
      {"must not have it", "team", {"team", does_not_exist, {}}, false},
      {"is not known", "", {"team", exists, {}}, false},
      {"is not known, and must not have it", "", {"team", does_not_exist, {}}, true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Writing w;
    if (*c.namespace_labels) {
      api::Namespace shop;
      shop.meta.name = "shop";
      shop.meta.labels = api::Labels({{c.namespace_labels, "x"}});
      w.cluster.objects().set<api::Namespace>(std::make_shared<const api::Namespace>(shop));
    }
    w.set([&](config::Podium& next) { next.reports.namespace_selector.match_expressions = {c.requirement}; });
    w.bind(small("placed"));
    w.decide(huge("pending"));
    w.run();
    EXPECT_EQ(w.reports().size(), c.reported ? 2u : 0u);
  }
}

TEST(ReportWriter, AnnouncesTheBestNodesOfPodsThatWereBound) {
  Lines announced;
  Writing w([&](const cluster::PodInfo& pod, const ReportStatus& status, const std::string& report) {
    announced.push_back(fmt::format("{} {} report={}", pod->meta.name, status.top_nodes.at(0).node, report));
  });
  w.bind(small("before"));
  w.set([](config::Podium& next) { next.events.best_nodes = true; });
  w.bind(small("reported"));
  w.set([](config::Podium& next) { next.reports.enabled = false; });
  w.bind(small("web"));
  w.decide(huge("pending"));
  w.decide(small("failed"));
  w.writer.binding_ended(info_of(small("failed")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(announced, (Lines{"reported n1 report=reported", "web n1 report="}));
}

TEST(ReportWriter, TellsOfEachAttemptEvenWhereItWritesNoReport) {
  Lines ended;
  Writing w;
  w.writer.tell([&](const cluster::PodInfo& pod, const ReportStatus& status) {
    ended.push_back(fmt::format("{} {} {}", pod->meta.name, status.outcome, status.top_nodes.size()));
  });
  w.set([](config::Podium& next) { next.reports.enabled = false; });
  w.bind(small("web"));
  w.decide(huge("pending"));
  w.decide(small("failed"));
  w.writer.binding_ended(info_of(small("failed")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(ended, (Lines{"web Scheduled 1", "pending Unschedulable 0", "failed Failed 1"}));
  EXPECT_EQ(w.reports(), Lines{});
}

TEST(ReportWriter, OneThatIsDeletedByHandIsMadeAnewAndHoldsNobodyUp) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  w.server.erase(kPlural, "shop", "web");
  w.clock.advance(60s);
  w.decide(huge("web"), 2);
  w.bind(small("next"));
  w.run();
  EXPECT_EQ(w.reports(), (Lines{"next uid-of-next Scheduled 1", "web uid-of-web Unschedulable 2"}));
  EXPECT_EQ(w.log.count("paused"), 0);
  EXPECT_EQ(w.writer.counts().failed, 0u);
}

TEST(ReportWriter, APodThatIsForgottenStartsAnew) {
  Writing w;
  w.decide(huge("web"), 4);
  w.run();
  w.writer.forgotten("uid-of-web");
  w.server.erase(kPlural, "shop", "web");
  auto again = huge("web");
  again.meta.uid = "another";
  w.decide(again);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web another Unschedulable 1"});
}

TEST(ReportWriter, AnAttemptThatChangesNothingIsNotWorthARequest) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  for (std::uint32_t attempt = 2; attempt < 10; ++attempt) w.decide(huge("web"), attempt);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Unschedulable 1"});
  EXPECT_EQ(w.writer.counts().unchanged, 8u);
  w.clock.advance(60s);
  w.decide(huge("web"), 10);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Unschedulable 10"}) << "once a minute";
  w.decide(small("web"), 11);
  w.writer.binding_ended(info_of(small("web")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Failed 11"}) << "something has changed";
}

TEST(ReportWriter, TheReportOfADeadPodOfThisNameIsTakenOver) {
  Writing w;
  w.bind(small("web-1"));
  w.run();
  w.clock.advance(5s);
  auto again = small("web-1");
  again.meta.uid = "another";
  w.bind(again);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web-1 another Scheduled 1"});
  EXPECT_EQ(w.retention.size(), 1u);
  EXPECT_EQ(w.retention.size(ReportKind::decision), 1u);
}

TEST(ReportWriter, TheReportOfALaterPodOfThisNameIsNot) {
  Writing w;
  auto first = small("web-1");
  first.meta.uid = "the-first";
  w.decide(first);
  w.clock.advance(5s);
  w.bind(small("web-1"));
  w.run();
  w.writer.binding_ended(info_of(first), {.bound = true, .node = "n1"});  // late
  w.run();
  ASSERT_EQ(w.reports().size(), 2u);
  EXPECT_EQ(w.reports()[0], "web-1 uid-of-web-1 Scheduled 1");
  EXPECT_TRUE(w.reports()[1].ends_with("the-first Scheduled 1")) << w.reports()[1];
}

TEST(ReportWriter, OneThatAnotherHasReplacedIsMadeAnew) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  w.server.erase(kPlural, "shop", "web");
  w.server.put(kPlural,
               {{"metadata", {{"name", "web"}, {"namespace", "shop"}}}, {"spec", {{"dryRun", true}}}});
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.server.all(kPlural).size(), 2u);
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/status/outcome"), "") << "a user's what-if is left alone";
}

}  // namespace
}  // namespace podium::controller::report_writer_test
