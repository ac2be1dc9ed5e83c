// ReportWriter writes one report for each pod, with what happened to the pod.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>

#include "controller/report/metadata.h"
#include "unit/controller/recorder/report_writer_fixture.h"
#include "unit/metrics/sampled.h"

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

TEST(ReportWriter, SumsTheTimesThatReportsWaited) {
  Writing w;
  const auto waited = [&] { return unit::sampled(w.writer).at("podium_reports_delay_seconds_total"); };
  EXPECT_EQ(waited(), 0);
  for (const auto* name : {"a", "b"}) {
    w.decide(huge(name));
    w.clock.advance(30s);
    w.run();
  }
  EXPECT_NEAR(waited(), 60, 1);
}

// Its deletion has the resourceVersion of the last of podium's writes as precondition.
TEST(ReportWriter, ARewrittenReportIsDeletedAsItWasWrittenLast) {
  Writing w;
  w.set([](config::Podium& next) { next.reports.ttl = 100s; });
  w.decide(huge("web"), 1);
  w.run();
  w.clock.advance(60s);
  w.decide(huge("web"), 2);
  w.run();
  const auto last = ObjectServer::text(w.report("web"), "/metadata/resourceVersion");
  w.clock.advance(100s);
  w.retention.start();
  w.run_until([&] { return w.retention.deleted() == 1; });
  std::string body;
  for (const auto& request : w.server.transport->requests()) {
    if (request.method == "DELETE") body = request.body;
  }
  EXPECT_EQ(ObjectServer::text(json::parse(body), "/preconditions/resourceVersion"), last);
  w.retention.stop();
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
            (Lines{of_status, of_labels, of_status, of_labels, of_status, of_labels, of_status}))
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
  EXPECT_EQ(w.log.count("cannot update report labels"), 1);
  EXPECT_EQ(w.writer.counts().retried, 0u);
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
  w.recorder.binding_ended(info_of(small("web")), {.bound = false, .node = "n1", .error = "no"});
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

TEST(ReportWriter, AReportFromBeforeARestartIsWrittenOn) {
  Writing w;
  w.server.put(kPlural,
               {{"metadata", {{"name", "web"}, {"namespace", "shop"}}},
                {"spec", {{"podRef", {{"name", "web"}, {"uid", "uid-of-web"}}}, {"dryRun", false}}}});
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
}

TEST(ReportWriter, AWriteThatArrivesLateOverwritesNothing) {
  for (const bool known : {false, true}) {
    SCOPED_TRACE(known ? "a rewrite" : "the first one");
    Writing w;
    if (known) {
      w.decide(huge("web"), 1);
      w.run();
      w.clock.advance(60s);
    }
    std::vector<client::Request> late;
    bool lose = true;
    w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      if (!lose || request.method == "GET") return std::nullopt;
      late.push_back(request);
      lose = request.target.find("/status") == std::string::npos;
      Error error{Error::Kind::unavailable, "cut before the reply"};
      error.maybe_applied = true;
      return std::unexpected(error);
    };
    w.decide(huge("web"), 2);
    w.run_until([&] { return !lose; });
    w.clock.advance(2s);
    w.bind(small("web"));
    w.run();
    EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
    const auto before = w.report("web");
    for (const auto& request : late) (void)w.server.transport->on_send(request);
    EXPECT_EQ(w.report("web"), before);
  }
}

TEST(ReportWriter, OneThatWasEditedIsWrittenOn) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  auto edited = w.report("web");
  edited.as_object()["status"] = {{"outcome", "Scheduled"}};
  w.server.put(kPlural, edited);
  w.clock.advance(60s);
  w.decide(huge("web"), 2);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Unschedulable 2"});
  EXPECT_EQ(w.server.requests("POST").size(), 1u);
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

TEST(ReportWriter, OneThatIsDeletedByHandIsCreatedAgainAndDelaysNoOther) {
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

TEST(ReportWriter, APodThatIsForgottenStartsAgain) {
  Writing w;
  w.decide(huge("web"), 4);
  w.run();
  w.recorder.forgotten("uid-of-web");
  w.server.erase(kPlural, "shop", "web");
  auto again = huge("web");
  again.meta.uid = "another";
  w.decide(again);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web another Unschedulable 1"});
}

TEST(ReportWriter, APodThatIsForgottenWhileItsReportIsWrittenHasNoSecondOne) {
  Writing w;
  w.server.put(kPlural,
               {{"metadata", {{"name", "web"}, {"namespace", "shop"}}}, {"spec", {{"dryRun", true}}}});
  w.decide(huge("web"), 1);
  w.run();
  w.server.erase(kPlural, "shop", "web");
  bool refused = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (refused || request.target.find("/status") == std::string::npos) return std::nullopt;
    refused = true;
    w.recorder.forgotten("uid-of-web");
    return client::Response{500, "{}"};
  };
  w.clock.advance(60s);
  w.bind(small("web"));
  w.run();
  EXPECT_TRUE(refused);
  ASSERT_EQ(w.reports().size(), 1u);
  EXPECT_TRUE(w.reports()[0].ends_with("uid-of-web Scheduled 1")) << w.reports()[0];
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
  w.recorder.binding_ended(info_of(small("web")), {.bound = false, .node = "n1", .error = "no"});
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Failed 11"}) << "something has changed";
}

TEST(ReportWriter, AReportWithoutAStatusGetsItAtTheNextTry) {
  Writing w;
  w.server.put(kPlural, {{"metadata", {{"name", "web"}, {"namespace", "shop"}}},
                         {"spec", {{"dryRun", true}}},
                         {"status", json::object()}});
  int refused = 0;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.target.find("/web-") == std::string::npos || refused++ > 0) return std::nullopt;
    return client::Response{409, R"({"kind":"Status","code":409,"reason":"Conflict"})"};
  };
  w.bind(small("web"));
  w.run();
  EXPECT_GT(refused, 1);
  ASSERT_EQ(w.reports().size(), 2u) << "the what-if and one report";
  EXPECT_TRUE(w.reports()[1].ends_with("uid-of-web Scheduled 1")) << w.reports()[1];
  EXPECT_EQ(w.retention.size(ReportKind::decision), 1u);
}

// The creation finds the report there, and the status is to be sent later.
TEST(ReportWriter, WhatIsToBeSentLaterIsNotSentAgainImmediately) {
  Writing w;
  bool refuses = true;
  Lines sent;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (!refuses) return std::nullopt;
    sent.push_back(request.method);
    if (request.method == "POST")
      return client::Response{409, R"({"kind":"Status","code":409,"reason":"AlreadyExists"})"};
    return client::Response{429, R"({"kind":"Status","code":429,"reason":"TooManyRequests"})", 1};
  };
  w.decide(huge("web"));
  w.run_until([&] { return w.writer.counts().retried > 0; });
  EXPECT_EQ(sent, (Lines{"POST", "PATCH"}));
  refuses = false;
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Unschedulable 1"});
}

// Both requests of a report fail, and the longer of the two delays counts.
TEST(ReportWriter, TheLongestTimeThatIsAskedForCounts) {
  Writing w({}, 20'000, {}, 1min);
  bool refuses = true;
  Lines sent;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (!refuses || request.body.find("uid-of-web") == std::string::npos) return std::nullopt;
    sent.push_back(request.method);
    if (request.method == "POST")
      return client::Response{503, R"({"kind":"Status","code":503,"reason":"ServiceUnavailable"})", 3};
    return client::Response{429, R"({"kind":"Status","code":429,"reason":"TooManyRequests"})", 1};
  };
  w.decide(huge("web"));
  w.run_until([&] { return w.writer.counts().retried > 0; });
  EXPECT_EQ(sent, (Lines{"POST", "PATCH"}));
  w.clock.advance(2s);
  w.decide(huge("other"));
  while (w.io.poll_one() > 0) {
  }
  EXPECT_EQ(sent, (Lines{"POST", "PATCH"})) << "after two seconds of three";
  refuses = false;
  w.clock.advance(2s);
  w.run();
  EXPECT_EQ(w.reports().size(), 2u);
}

// Its labels are from the decision whose write failed halfway.
TEST(ReportWriter, AReportWithoutAStatusGetsTheLabelsOfItsOutcome) {
  Writing w;
  bool refuses = true;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (!refuses || request.target.find("/status") == std::string::npos) return std::nullopt;
    return client::Response{429, R"({"kind":"Status","code":429,"reason":"TooManyRequests"})"};
  };
  w.decide(huge("web"));
  w.run_until([&] { return w.writer.counts().retried > 0; });
  refuses = false;
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Scheduled 1"});
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/metadata/labels/podium.dev~1outcome"), "Scheduled");
}

}  // namespace
}  // namespace podium::controller::report_writer_test
