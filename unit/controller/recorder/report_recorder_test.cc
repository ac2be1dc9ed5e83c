// ReportRecorder makes a report of what happened to a pod, where the settings want one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/text/json_view.h"
#include "base/time.h"
#include "controller/report/metadata.h"
#include "scheduler/framework/decision.h"
#include "unit/controller/recorder/report_writer_fixture.h"
#include "unit/metrics/sampled.h"

namespace podium::controller::report_writer_test {
namespace {

TEST(ReportRecorder, KeepsTheLastFiveAttemptsOfAPodThatHadToWait) {
  Writing w;
  for (std::uint32_t attempt = 1; attempt <= 6; ++attempt) {
    w.decide(huge("web"), attempt);
    w.clock.advance(10s);
  }
  w.decide(small("web"), 7);
  w.recorder.binding_ended(info_of(small("web")),
                           {.bound = false, .node = "n1", .error = "the node is gone"});
  w.bind(small("web"));
  w.run();
  const auto history = w.report("web").at("status").at("history").as_array();
  ASSERT_EQ(history.size(), 5u);
  EXPECT_EQ(ObjectServer::text(history[0], "/outcome"), "Failed");
  EXPECT_EQ(ObjectServer::text(history[0], "/reason"), "the node is gone");
  EXPECT_FALSE(history[0].as_object().contains("nodeCount"));
  EXPECT_FALSE(history[0].as_object().contains("code"));
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(ObjectServer::text(history[i], "/outcome"), "Unschedulable");
    EXPECT_EQ(ObjectServer::text(history[i], "/reason"), "Insufficient cpu");
    EXPECT_EQ(history[i].at("nodeCount"), 1);
    EXPECT_EQ(ObjectServer::text(history[i], "/code"), "InsufficientResource");
    EXPECT_EQ(ObjectServer::text(history[i], "/about/resource"), "cpu");
    EXPECT_GE(ObjectServer::text(history[i - 1], "/at"), ObjectServer::text(history[i], "/at"));
  }
  auto again = small("web");
  again.meta.uid = "another";
  w.bind(again);
  w.run();
  EXPECT_FALSE(w.report("web").at("status").as_object().contains("history")) << "another pod of this name";
}

TEST(ReportRecorder, WhatAnEarlierProcessPreemptedStaysAfterThePodHasLanded) {
  Writing w;
  const auto at = w.clock.wall() - 5min;
  w.recorder.recall("uid-of-web", {"n1", {{"batch", "old"}}, 1, 0, at});
  auto web = small("web");
  web.meta.uid = "uid-of-web";
  w.bind(web);
  w.run();
  const auto status = w.report("web").at("status");
  EXPECT_EQ(ObjectServer::text(status, "/outcome"), "Scheduled");
  EXPECT_EQ(ObjectServer::text(status, "/preemption/victims/0/name"), "old");
  EXPECT_EQ(ObjectServer::text(status, "/preemption/decidedAt"), format_time(at));
  EXPECT_FALSE(status.as_object().contains("history"));
}

TEST(ReportRecorder, WhatAPodPreemptedStaysAfterItHasLanded) {
  Writing w;
  auto decision = framework::Decision();
  decision.message = "0/1 nodes are available";
  auto victim = pod("old").ns("batch").build();
  decision.preemption.emplace("n1", std::vector{cluster::make_pod_info(test::share(victim))});
  framework::Attempt attempt;
  attempt.pod = cluster::make_pod_info(test::share(huge("web")));
  attempt.profile = "default-scheduler";
  w.recorder.decided(attempt, decision, snapshot());
  w.decide(huge("web"), 2);
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.report("web").at("status").at("preemption"),
            json::parse(R"({"nodeName":"n1","victims":[{"namespace":"batch","name":"old"}],"victimsTotal":1,
                            "decidedAt":"1970-01-01T00:00:00Z"})"));
}

TEST(ReportRecorder, SaysWhatABindingWaitsFor) {
  using framework::Reason, framework::ReasonCode, framework::Topic;
  Writing w;
  w.decide(huge("web"), 1);
  w.decide(small("web"), 2);
  w.recorder.binding_waits(info_of(small("web")),
                           Reason(ReasonCode::claim_not_bound, {{Topic::claim, "data"}}));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Binding 2"});
  const auto status = w.report("web").at("status");
  EXPECT_EQ(ObjectServer::text(status, "/choice/nodeName"), "n1");
  EXPECT_EQ(ObjectServer::text(status, "/message"), "its claim data has not been bound to a volume yet");
  EXPECT_EQ(ObjectServer::text(status, "/conditions/0/status"), "False");
  EXPECT_EQ(status.at("history").as_array().size(), 1u);
  // Another claim: the report is written again.
  w.recorder.binding_waits(info_of(small("web")),
                           Reason(ReasonCode::claim_not_bound, {{Topic::claim, "logs"}}));
  w.run();
  EXPECT_EQ(ObjectServer::text(w.report("web").at("status"), "/message"),
            "its claim logs has not been bound to a volume yet");
  w.recorder.binding_ended(info_of(small("web")), {.bound = true, .node = "n1"});
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 2"});
  EXPECT_EQ(w.report("web").at("status").at("history").as_array().size(), 1u)
      << "a wait does not count as one";
}

// A request without an answer may still take effect. All these writes are of one attempt, and of one second.
TEST(ReportRecorder, AWriteThatArrivesLateDoesNotReplaceALaterOne) {
  using framework::Reason, framework::ReasonCode, framework::Topic;
  Writing w;
  w.decide(small("web"), 1);
  for (const auto* claim : {"data", "logs"}) {
    w.recorder.binding_waits(info_of(small("web")),
                             Reason(ReasonCode::claim_not_bound, {{Topic::claim, claim}}));
    w.run();
  }
  const auto replay = [&] {
    const auto status = w.report("web").at("status");
    const auto sent = w.server.transport->requests();
    for (const auto& request : sent) {
      if (request.target.find("/status") == std::string::npos) continue;
      EXPECT_EQ(w.server.transport->on_send(request)->status, 422);
    }
    EXPECT_EQ(w.report("web").at("status"), status);
    return sent.size();
  };
  replay();
  w.recorder.binding_ended(info_of(small("web")), {.bound = true, .node = "n1"});
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
  EXPECT_GE(replay(), 4u);
}

TEST(ReportRecorder, AReportIsTheSameHoweverManyBindingsAreAhead) {
  Writing w;
  for (int i = 0; i < 70; ++i) w.decide(small(fmt::format("p{}", i)));
  for (int i = 0; i < 70; ++i)
    w.recorder.binding_ended(info_of(small(fmt::format("p{}", i))), {.bound = true, .node = "n1"});
  w.run();
  const auto first = w.report("p0").at("status");
  EXPECT_EQ(first.at("topNodes").as_array().size(), 1u);
  for (int i = 1; i < 70; ++i) EXPECT_EQ(w.report(fmt::format("p{}", i)).at("status"), first) << i;
}

TEST(ReportRecorder, CountsTheStrategiesThatDecided) {
  Writing w;
  auto two_nodes = snapshot();
  two_nodes.set_node(node("n2").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  const auto n1 = *two_nodes.find_row("n1"), n2 = *two_nodes.find_row("n2");
  framework::Attempt attempt;
  attempt.pod = cluster::make_pod_info(test::share(small("web")));
  auto decision = framework::evaluate(*attempt.pod, two_nodes, *default_config().profiles[0]);
  const framework::Scores none(two_nodes.chunks());
  decision.strategies = {{"One", 1, none}, {"Two", 2, none}};
  decision.strategies[0].score.write_chunk(0)[n2] = 9;
  decision.strategies[0].score.set_summary(0, {.most = 9, .count = 1});
  decision.strategies[1].score.write_chunk(0)[n1] = 4;
  decision.strategies[1].score.set_summary(0, {.most = 4, .count = 1});
  decision.total = framework::Totals(two_nodes.chunks());
  decision.total.write_chunk(0)[n1] = 8;
  decision.total.write_chunk(0)[n2] = 9;
  decision.total.set_summary(0, {.most = 9, .next = 8, .count = 1});
  decision.choice = n2;
  w.recorder.decided(attempt, decision, two_nodes);
  w.recorder.decided(attempt, decision, two_nodes);
  EXPECT_EQ(unit::sampled(w.recorder, "podium_decisions_by_strategy_total"),
            (unit::Sampled{{"podium_decisions_by_strategy_total{One}", 2},
                           {"podium_decisions_by_strategy_total{Two}", 0}}));
}

TEST(ReportRecorder, AGatedPodHasAReportThatNamesItsGates) {
  Writing w;
  auto waiting = small("web");
  waiting.scheduling_gates = {"example.com/quota", "example.com/order"};
  for (int i = 0; i < 3; ++i) {
    w.gated(waiting, 0, {.plugin = "SchedulingGates"});
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

// "SINCE UNTIL by A, B" for each time of the report.
Lines gated_times(Writing& w) {
  w.run();
  Lines out;
  const auto report = w.report("web");
  const auto* times = api::find_at(report, "/status/gated");
  for (const auto& time : times ? times->as_array() : json::array()) {
    out.push_back(
        fmt::format("{} {} by", ObjectServer::text(time, "/since"), ObjectServer::text(time, "/until")));
    for (const auto& by : time.at("by").as_array())
      out.back() += fmt::format(" {}", std::string_view(by.as_string()));
  }
  return out;
}

TEST(ReportRecorder, AReportKeepsWhenThePodWasGated) {
  Writing w;
  const auto now = [&] { return format_time(w.clock.wall()); };
  auto waiting = small("web");
  waiting.meta.created = w.clock.wall() - 60s;
  const auto created = format_time(*waiting.meta.created);
  waiting.scheduling_gates = {"a", "b"};
  w.gated(waiting, 0, {.plugin = "SchedulingGates"});
  w.clock.advance(10s);
  waiting.scheduling_gates = {"b"};  // one of them is gone
  w.gated(waiting, 0, {.plugin = "SchedulingGates"});
  EXPECT_EQ(gated_times(w), Lines{created + "  by a b"});
  w.clock.advance(20s);
  // The gates went 5 s before the decision.
  framework::Attempt attempt;
  attempt.pod = cluster::make_pod_info(test::share(huge("web")));
  attempt.decided_at = w.clock.wall();
  attempt.queued = 4s;
  attempt.evaluate = 1s;
  attempt.number = 1;
  w.recorder.decided(attempt, framework::evaluate(*attempt.pod, w.cluster, *default_config().profiles[0]),
                     w.cluster);
  const auto first = fmt::format("{} {} by a b", created, format_time(w.clock.wall() - 5s));
  EXPECT_EQ(gated_times(w), Lines{first});
  w.clock.advance(30s);
  const auto again = now();
  w.gated(huge("web"), 1, {.plugin = "DynamicResources", .reasons = {"no claim"}});
  EXPECT_EQ(gated_times(w), (Lines{again + "  by DynamicResources: no claim", first}));
  const auto bound = now();
  w.bind(small("web"));
  EXPECT_EQ(gated_times(w), (Lines{fmt::format("{} {} by DynamicResources: no claim", again, bound), first}));
  auto other = small("web");
  other.meta.uid = "another";
  w.bind(other);
  EXPECT_EQ(gated_times(w), Lines{}) << "another pod of this name";
}

TEST(ReportRecorder, APodThatWaitsForItsClaimHasAReportThatSaysSo) {
  Writing w;
  const framework::Verdict gate{.plugin = "DynamicResources",
                                .code = framework::Code::unschedulable_and_unresolvable,
                                .reasons = {"could not find ResourceClaim \"shop/gpu\""}};
  w.gated(small("web"), 0, gate);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Gated 0"});
  EXPECT_EQ(w.report("web").at("status").at("message"),
            "waits for DynamicResources: could not find ResourceClaim \"shop/gpu\"");
}

TEST(ReportRecorder, APodThatIsGatedAgainKeepsItsAttempts) {
  Writing w;
  w.decide(huge("web"), 2);
  w.run();
  w.gated(huge("web"), 2, {.plugin = "DynamicResources", .code = framework::Code::unschedulable});
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Gated 2"});
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/status/history/0/outcome"), "Unschedulable");
}

TEST(ReportRecorder, ABindingThatFailedIsSaid) {
  Writing w;
  w.decide(small("web"));
  w.recorder.binding_ended(info_of(small("web")),
                           {.bound = false, .node = "n1", .error = "the node is gone"});
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Failed 1"});
  EXPECT_EQ(w.report("web").at("status").at("message"), "the node is gone");
}

TEST(ReportRecorder, WritesAsTheSwitchesSay) {
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

TEST(ReportRecorder, ASwitchCountsFromTheNextDecisionOn) {
  Writing w;
  w.bind(small("a"));
  w.set([](config::Podium& next) { next.reports.enabled = false; });
  w.bind(small("b"));
  w.decide(small("c"));
  w.set([](config::Podium& next) { next.reports = {.only_failures = true}; });
  w.recorder.binding_ended(info_of(small("c")), {.bound = true, .node = "n1"});
  w.decide(huge("d"));
  w.run();
  EXPECT_EQ(w.reports(), (Lines{"a uid-of-a Scheduled 1", "d uid-of-d Unschedulable 1"}));
}

TEST(ReportRecorder, NamespacesAreSelectedByTheirLabels) {
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
    w.set([&](config::Podium& next) {
      next.reports.namespace_selector = std::make_shared<const api::LabelSelector>(
          api::LabelSelector{.match_labels = {}, .match_expressions = {c.requirement}});
    });
    w.bind(small("placed"));
    w.decide(huge("pending"));
    w.run();
    EXPECT_EQ(w.reports().size(), c.reported ? 2u : 0u);
  }
}

TEST(ReportRecorder, AnnouncesTheBestNodesOfPodsThatWereBound) {
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
  w.recorder.binding_ended(info_of(small("failed")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(announced, (Lines{"reported n1 report=reported", "web n1 report="}));
}

TEST(ReportRecorder, WithholdsTheNamesOfNodesFromReportsOnly) {
  Lines ended;
  Writing w({}, 20'000, [&](const cluster::PodInfo& pod, const ReportStatus& status, std::string_view) {
    const auto& examples = status.rejections;
    ended.push_back(fmt::format("{} {}", pod->meta.name, examples.empty() ? "" : examples[0].examples.at(0)));
  });
  w.set([](config::Podium& next) { next.withhold_node_names = true; });
  w.decide(huge("pending"));
  w.bind(small("placed"));
  w.run();
  EXPECT_EQ(ended, (Lines{"pending n1", "placed "})) << "the HTTPS API decides for each reader";
  EXPECT_EQ(json::serialize(w.report("pending").at("status")).find("n1"), std::string::npos);
  EXPECT_EQ(w.report("pending").at("status").at("rejections").at(0).at("examples"),
            json::parse(R"(["withheld-1"])"));
  EXPECT_EQ(w.report("placed").at("status").at("choice").at("nodeName"), "n1") << "as its pod says";
}

TEST(ReportRecorder, ReportsEachAttemptEvenIfItWritesNoReport) {
  Lines ended;
  Writing w({}, 20'000, [&](const cluster::PodInfo& pod, const ReportStatus& status, std::string_view) {
    ended.push_back(fmt::format("{} {} {}", pod->meta.name, status.outcome, status.top_nodes.size()));
  });
  w.set([](config::Podium& next) { next.reports.enabled = false; });
  w.bind(small("web"));
  w.decide(huge("pending"));
  w.decide(small("failed"));
  w.recorder.binding_ended(info_of(small("failed")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(ended, (Lines{"web Scheduled 1", "pending Unschedulable 0", "failed Failed 1"}));
  EXPECT_EQ(w.reports(), Lines{});
}

}  // namespace
}  // namespace podium::controller::report_writer_test
