// ReportWriter writes one report per pod despite all kinds of failures. Runs against an
// in-memory API server.
#include "controller/report_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <boost/asio/co_spawn.hpp>
#include <string>
#include <vector>

#include "base/time.h"
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

// Backoffs are short, and the clock advances a little with each step.
struct Writing : ServedApi {
  explicit Writing(ReportWriter::Announce announce = {}, std::size_t max_decisions = 20'000)
      : retention(api, retention_options(max_decisions), gate, io.get_executor()),
        writer(api, bindings_first, retention, options, gate, io.get_executor(), std::move(announce),
               {.item = {1ms, 4ms}, .of_namespace = {1ms, 4ms}, .all = {1ms, 4ms}}) {}
  ~Writing() {
    gate.cancel();
    io.restart();
    io.run();
  }

  static RetentionOptions retention_options(std::size_t max_decisions) {
    RetentionOptions made;
    made.max_decisions = max_decisions;
    made.round = 1ms;
    return made;
  }

  // Records a decision on the pod; if it fits, the test still has to end its binding.
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
  // Runs until no worker is left.
  void run() {
    run_until([this] { return gate.inside() == 0; });
  }
  template <typename Condition>
  void run_until(Condition condition) {
    io.restart();
    while (!condition() && io.run_one() > 0) clock.advance(1ms);
    EXPECT_TRUE(condition());
  }
  void drain(std::chrono::milliseconds deadline = 1s) {
    bool drained = false;
    asio::co_spawn(io, writer.drain(deadline), [&](std::exception_ptr) { drained = true; });
    run_until([&] { return drained; });
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
  config::Podium options;
  async::Gate gate;
  Retention retention;
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
  const auto kept = *parse_time(ObjectServer::text(report, "/status/expiresAt")) -
                    *parse_time(ObjectServer::text(report, "/status/decidedAt"));
  EXPECT_EQ(kept, w.options.reports.ttl);
  EXPECT_EQ(ObjectServer::text(report, "/metadata/labels/podium.dev~1report"), "decision");
  EXPECT_EQ(ObjectServer::text(report, "/metadata/annotations/podium.dev~1ttl"), "600");
  EXPECT_EQ(w.retention.size(ReportKind::decision), 1u);
  EXPECT_EQ(w.writer.counts().written, 1u);
}

TEST(ReportWriter, APodHasOneReportForAllItsAttempts) {
  Writing w;
  for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
    w.decide(huge("web"), attempt);
    w.run();
    EXPECT_EQ(w.reports(), Lines{fmt::format("web uid-of-web Unschedulable {}", attempt)});
    w.clock.advance(60s);
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
  w.run();
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
  w.server.transport->latency = 1ms;
  for (int i = 0; i < 500; ++i) w.bind(small(fmt::format("p{:03}", i)));
  w.drain(5ms);
  w.run();  // what was under way
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
  w.clock.advance(client::Precedence::kPatience);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
}

TEST(ReportWriter, AtTheBoundTheEarliestMakeRoomForTheNewest) {
  Writing w({}, 2);
  w.retention.start();
  for (const char* name : {"q1", "q2", "q3"})  // what-ifs do not count
    w.retention.track("shop", name, name, 100s, ReportKind::question);
  for (const char* name : {"a", "b", "c", "d"}) {
    w.bind(small(name));
    w.run_until([&] { return w.writer.counts().waiting == 0 && !w.report(name).is_null(); });
    EXPECT_LE(w.server.all(kPlural).size(), 2u);
  }
  EXPECT_EQ(w.reports(), (Lines{"c uid-of-c Scheduled 1", "d uid-of-d Scheduled 1"}));
  EXPECT_EQ(w.writer.counts().dropped, 0u);
  EXPECT_EQ(w.log.count("budget"), 1);
}

TEST(ReportWriter, AtTheBoundAReportThatIsThereIsRewritten) {
  Writing w({}, 1);
  w.decide(huge("a"));
  w.run();
  w.bind(small("a"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"a uid-of-a Scheduled 1"});
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
  Lines announced;
  Writing w([&](const cluster::PodInfo& pod, const ReportStatus& status) {
    announced.push_back(fmt::format("{} {}", pod->meta.name, status.top_nodes.at(0).host));
  });
  w.bind(small("before"));
  w.options.events.best_nodes = true;
  w.options.reports.enabled = false;
  w.bind(small("web"));
  w.decide(huge("pending"));
  w.decide(small("failed"));
  w.writer.binding_ended(info_of(small("failed")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(announced, Lines{"web n1"});
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

TEST(ReportWriter, ANamespaceThatRefusesReportsHoldsUpNoOther) {
  struct Case {
    const char* name;
    ObjectServer::Reply refusal;
  };
  const Case cases[] = {
      {"a quota", client::Response{403, R"({"code":403,"message":"exceeded quota: none"})"}},
      {"a webhook that fails", client::Response{500, R"({"code":500,"message":"failed calling webhook"})"}},
      {"a webhook that hangs", fail(Error::Kind::timeout, "no reply in time")},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Writing w;
    w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      if (request.target.find("/namespaces/full/") == std::string::npos) return std::nullopt;
      return c.refusal;
    };
    for (int i = 0; i < 12; ++i)
      w.bind(pod(fmt::format("f{}", i)).ns("full").uid(fmt::format("full-{}", i)).req("cpu", "1"));
    for (int i = 0; i < 100; ++i) w.bind(small(fmt::format("p{}", i)));
    w.run_until([&] { return w.writer.counts().written == 100; });
    EXPECT_EQ(w.reports().size(), 100u);
    EXPECT_EQ(w.writer.counts().failed, 0u);
    EXPECT_EQ(w.log.count("reports of a namespace are refused"), 1);
    EXPECT_EQ(w.log.count("paused"), 0);
    w.server.on_request = {};
    w.run();
    EXPECT_EQ(w.reports().size(), 112u);
    EXPECT_EQ(w.log.count("reports are written again namespace=full"), 1);
  }
}

TEST(ReportWriter, WhatANamespaceRefusesForLongerThanTheTtlIsDropped) {
  Writing w;
  w.server.refuse(1'000'000, client::Response{403, "{}"});
  for (int i = 0; i < 12; ++i) w.bind(small(fmt::format("p{}", i)));
  w.run_until([&] { return w.log.count("refused") > 0; });
  w.clock.advance(600s);
  w.run();
  EXPECT_EQ(w.writer.counts().dropped, 12u);
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

TEST(ReportWriter, FirstReportsGoBeforeRewrittenOnes) {
  Writing w;
  for (int i = 0; i < 200; ++i) w.decide(huge(fmt::format("p{}", i)));
  w.run();
  w.clock.advance(60s);
  for (int i = 0; i < 200; ++i) w.decide(huge(fmt::format("p{}", i)), 2);
  const auto before = w.server.requests().size();
  w.bind(small("first"));
  w.run();
  const auto requests = w.server.requests();
  const auto at = std::ranges::find_if(requests, [&](const std::string& request) {
    return request.starts_with("POST") && &request >= &requests[before];
  });
  ASSERT_NE(at, requests.end());
  EXPECT_LT(at - requests.begin(), static_cast<std::ptrdiff_t>(before + 50)) << "of some 200 rewrites";
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
}  // namespace podium::controller
