// One report for every pod, whatever happens to the writing of it; seen through an API server that keeps
// reports.
#include "controller/report_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <string>
#include <vector>

#include "unit/controller/log_capture.h"
#include "unit/controller/served_api.h"
#include "unit/support/builders.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace std::chrono_literals;
using test::node;
using test::pod;
using unit::default_config;
using unit::kPlural;
using unit::Lines;
using unit::ObjectServer;
using unit::ServedApi;

const std::string kReports = "/apis/podium.dev/v1alpha1/namespaces/shop/schedulingreports";
const client::Response kNoSuchKind{
    404, R"({"code":404,"message":"the server could not find the requested resource"})"};

// One node with four CPUs.
const cluster::Snapshot& snapshot() {
  static const auto one = [] {
    cluster::Snapshot made;
    made.set_node(node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
    return made;
  }();
  return one;
}

cluster::PodInfo info_of(const api::Pod& pod) { return *cluster::make_pod_info(test::share(pod)); }

api::Pod small(const std::string& name) { return pod(name).ns("shop").uid("uid-of-" + name).req("cpu", "1"); }
api::Pod huge(const std::string& name) { return pod(name).ns("shop").uid("uid-of-" + name).req("cpu", "64"); }

struct Writing : ServedApi {
  explicit Writing(ReportWriter::Announce announce = {})
      : writer(api, bindings_first, retention, options, io.get_executor(), std::move(announce)) {}

  // Decides about the pod; where it fits, its binding has still to end.
  void decide(const api::Pod& pod, std::uint32_t attempt = 1) {
    const auto info = cluster::make_pod_info(test::share(pod));
    const auto decision = framework::evaluate(*info, snapshot(), *default_config().profiles[0]);
    framework::Attempt what;
    what.pod = info;
    what.profile = "default-scheduler";
    what.number = attempt;
    what.decided_at = clock.wall();
    writer.decided(what, decision, snapshot());
  }
  void bind(const api::Pod& pod) {
    decide(pod);
    writer.binding_ended(info_of(pod), {.bound = true, .node = "n1"});
  }
  // Until nothing is left to do.
  void run() {
    io.restart();
    io.run();
  }
  template <typename Condition>
  void run_until(Condition condition) {
    io.restart();
    while (!condition() && io.run_one() > 0) {
    }
    EXPECT_TRUE(condition());
  }
  void drain(std::chrono::milliseconds deadline = 1s) {
    bool drained = false;
    asio::co_spawn(io, writer.drain(deadline), [&](std::exception_ptr) { drained = true; });
    run();
    EXPECT_TRUE(drained);
  }
  // "name pod outcome attempts" of all reports, in order of names.
  Lines reports() const {
    Lines out;
    for (const auto& report : server.all(kPlural)) {
      const auto* attempts = report.at("status").as_object().if_contains("attempts");
      out.push_back(fmt::format("{} {} {} {}", ObjectServer::text(report, "/metadata/name"),
                                ObjectServer::text(report, "/spec/podRef/uid"),
                                ObjectServer::text(report, "/status/outcome"),
                                attempts ? attempts->to_number<int>() : 0));
    }
    return out;
  }

  unit::LogCapture log;
  client::Precedence bindings_first{clock};
  Retention retention{api, {}};
  config::Podium options;
  ReportWriter writer;
};

TEST(ReportWriter, MakesTheReportUnderThePodsNameAndSaysWhatHappened) {
  Writing w;
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
  const auto report = w.report("web");
  EXPECT_EQ(report.at("spec"), json::parse(R"({"podRef":{"name":"web","uid":"uid-of-web"},"dryRun":false})"));
  EXPECT_EQ(report.at("status").at("node"), "n1");
  EXPECT_EQ(report.at("status").at("topNodes").as_array().size(), 1u);
  EXPECT_EQ(ObjectServer::text(report, "/status/conditions/0/message"), "placed on n1");
  EXPECT_EQ(w.retention.size(), 1u);
  EXPECT_EQ(w.writer.counts().written, 1u);
}

TEST(ReportWriter, APodHasOneReportForAllItsAttempts) {
  Writing w;
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    w.decide(huge("web"), attempt);
    w.run();
    EXPECT_EQ(w.reports(), Lines{fmt::format("web uid-of-web Unschedulable {}", attempt)});
  }
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
  EXPECT_EQ(w.report("web").at("status").at("rejections"), json::array())
      << "those of the attempts before are gone";
  EXPECT_EQ(w.server.requests("POST"), Lines{"POST " + kReports});
  EXPECT_EQ(w.server.requests("PATCH"), Lines(4, "PATCH " + kReports + "/web/status"));
}

TEST(ReportWriter, TheConditionsTimeIsThatOfTheOutcome) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  const auto first = ObjectServer::text(w.report("web"), "/status/conditions/0/lastTransitionTime");
  w.clock.advance(60s);
  w.decide(huge("web"), 2);
  w.run();
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/status/conditions/0/lastTransitionTime"), first);
  EXPECT_NE(ObjectServer::text(w.report("web"), "/status/decidedAt"), first);
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
      {"by the report of a pod that bore this name", R"({"podRef":{"name":"web","uid":"other"}})", "web",
       "web-[0-9a-f]{6}"},
      {"and the name is as long as may be", R"({"dryRun":true})", long_name, "x{246}-[0-9a-f]{6}"},
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

TEST(ReportWriter, WithoutTheKindItPausesWithOneWarningAndGoesOnLater) {
  Writing w;
  w.server.refuse(1'000'000, kNoSuchKind);
  for (const char* name : {"a", "b", "c", "d", "e"}) w.bind(small(name));
  w.run_until([&] { return w.log.count("warning reports are paused") > 0; });
  EXPECT_EQ(w.log.count("warning reports are paused"), 1);
  EXPECT_EQ(w.writer.counts().failed, 0u);
  w.server.refuse(0, kNoSuchKind);
  w.run();
  EXPECT_EQ(w.reports(), (Lines{"a uid-of-a Scheduled 1", "b uid-of-b Scheduled 1", "c uid-of-c Scheduled 1",
                                "d uid-of-d Scheduled 1", "e uid-of-e Scheduled 1"}));
  EXPECT_EQ(w.writer.counts().written, 5u);
  EXPECT_EQ(w.writer.counts().dropped, 0u);
  EXPECT_EQ(w.log.count("warning reports are paused"), 1);
  EXPECT_EQ(w.log.count("info reports are written again"), 1);
}

TEST(ReportWriter, WhatIsRefusedForGoodIsCountedAndHoldsNobodyUp) {
  struct Case {
    const char* name;
    client::Response refusal;
  };
  const Case cases[] = {
      {"the namespace is going away",
       {403,
        R"({"code":403,"message":"unable to create new content in namespace shop because it is being terminated"})"}},
      {"the namespace is gone", {404, R"({"code":404,"message":"namespaces \"shop\" not found"})"}},
      {"not what the server takes for a request", {400, R"({"code":400,"message":"bad"})"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Writing w;
    w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      if (request.body.find("uid-of-web") == std::string::npos) return std::nullopt;
      return c.refusal;
    };
    w.bind(small("web"));
    w.bind(small("next"));
    w.run();
    EXPECT_EQ(w.reports(), Lines{"next uid-of-next Scheduled 1"});
    EXPECT_EQ(w.writer.counts().failed, 1u);
    EXPECT_EQ(w.log.count("report not written"), 1);
    EXPECT_EQ(w.log.count("paused"), 0);
  }
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
      EXPECT_EQ(w.report("web").at("status").at("strategies"), json::array());
    }
  }
}

TEST(ReportWriter, AFullQueueDropsTheOldestAndCounts) {
  Writing w;
  const int capacity = 20'000;
  for (int i = 0; i < capacity + 7; ++i) w.decide(huge(fmt::format("p{}", i)));
  EXPECT_EQ(w.writer.counts().dropped, 7u);
  EXPECT_EQ(w.writer.counts().waiting, static_cast<std::size_t>(capacity));
  w.run_until([&] { return !w.server.requests().empty(); });
  const auto first = w.server.transport->requests().front().body;
  EXPECT_NE(first.find("\"uid-of-p7\""), std::string::npos) << first;
  w.drain(0ms);
  const auto counts = w.writer.counts();
  EXPECT_EQ(counts.waiting, 0u);
  EXPECT_EQ(counts.written + counts.failed + counts.dropped, static_cast<std::size_t>(capacity + 7));
}

TEST(ReportWriter, AStopWritesWhatWaits) {
  Writing w;
  for (int i = 0; i < 20; ++i) w.bind(small(fmt::format("p{:02}", i)));
  w.drain();
  EXPECT_EQ(w.reports().size(), 20u);
  EXPECT_EQ(w.writer.counts().dropped, 0u);
}

TEST(ReportWriter, AStopEndsByItsDeadline) {
  Writing w;
  w.server.on_request = [&](const client::Request&) -> std::optional<ObjectServer::Reply> {
    w.clock.advance(300ms);  // a slow server
    return std::nullopt;
  };
  w.server.transport->latency = 1ms;
  for (int i = 0; i < 500; ++i) w.bind(small(fmt::format("p{:03}", i)));
  w.drain(1s);
  const auto counts = w.writer.counts();
  EXPECT_GT(counts.dropped, 0u);
  EXPECT_EQ(counts.waiting, 0u);
  EXPECT_EQ(counts.written + counts.dropped, 500u);
}

TEST(ReportWriter, AStopDoesNotWaitForAServerThatRefuses) {
  Writing w;
  w.server.refuse(1'000'000, kNoSuchKind);
  for (int i = 0; i < 20; ++i) w.bind(small(fmt::format("p{:02}", i)));
  w.run_until([&] { return w.log.count("paused") > 0; });
  w.drain();
  const auto counts = w.writer.counts();
  EXPECT_EQ(counts.failed + counts.dropped, 20u);
  EXPECT_EQ(w.reports(), Lines());
}

TEST(ReportWriter, TheBudgetHoldsForReportsThatAreMadeTogether) {
  Writing w;
  w.options.reports.max_reports = 2;
  for (const char* name : {"a", "b", "c", "d"}) w.bind(small(name));
  w.run();
  EXPECT_EQ(w.reports(), (Lines{"a uid-of-a Scheduled 1", "b uid-of-b Scheduled 1"}));
  EXPECT_EQ(w.writer.counts().dropped, 2u);
}

TEST(ReportWriter, BindingsComeFirst) {
  Writing w;
  w.bindings_first.enter();
  w.bind(small("web"));
  w.io.run_for(50ms);
  EXPECT_EQ(w.reports(), Lines());
  w.bindings_first.leave();
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
}

TEST(ReportWriter, ALoadThatNeverEndsDelaysReportsByThePatienceOnly) {
  Writing w;
  w.bindings_first.enter();
  w.bind(small("web"));
  w.io.run_for(20ms);
  EXPECT_EQ(w.reports(), Lines());
  w.clock.advance(client::Precedence::kPatience);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
}

TEST(ReportWriter, OverItsBudgetItMakesNoNewReports) {
  Writing w;
  w.options.reports.max_reports = 2;
  w.decide(huge("a"));
  w.bind(small("b"));
  w.run();
  w.bind(small("c"));
  w.bind(small("d"));
  w.run();
  w.bind(small("a"));  // has a report already
  w.run();
  EXPECT_EQ(w.reports(), (Lines{"a uid-of-a Scheduled 1", "b uid-of-b Scheduled 1"}));
  EXPECT_EQ(w.writer.counts().dropped, 2u);
  EXPECT_EQ(w.log.count("budget"), 1);
  w.retention.forget("shop", "b");  // expired
  w.bind(small("e"));
  w.run();
  EXPECT_EQ(w.writer.counts().written, 4u);
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
    c.set(w.options.reports);
    w.bind(small("placed"));
    w.decide(huge("pending"));
    w.run();
    EXPECT_EQ(w.reports(), c.expect);
  }
}

TEST(ReportWriter, AnnouncesTheBestNodesOfPodsThatWereBound) {
  Lines told;
  Writing w([&](const cluster::PodInfo& pod, const ReportStatus& status) {
    told.push_back(fmt::format("{} {}", pod->meta.name, status.top_nodes.at(0).host));
  });
  w.bind(small("before"));
  w.options.events.best_nodes = true;
  w.options.reports.enabled = false;
  w.bind(small("web"));
  w.decide(huge("pending"));
  w.decide(small("failed"));
  w.writer.binding_ended(info_of(small("failed")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(told, Lines{"web n1"});
}

TEST(ReportWriter, OneThatIsDeletedByHandIsMadeAnewAndHoldsNobodyUp) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  w.server.erase(kPlural, "shop", "web");
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

}  // namespace
}  // namespace podium::controller
