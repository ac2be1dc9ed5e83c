// What a ReportWriter does when it cannot write everything: refusals, bounds, priorities, a stop.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <ranges>

#include "unit/controller/recorder/report_writer_fixture.h"

namespace podium::controller::report_writer_test {
namespace {

TEST(ReportWriter, WithoutTheKindItPausesWithOneWarningAndContinuesLater) {
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
  EXPECT_EQ(w.log.count("info report writes resumed"), 1);
}

TEST(ReportWriter, WhatIsRefusedForGoodIsCountedAndDelaysNoOther) {
  struct Case {
    const char* name;
    client::Response refusal;
  };
  const Case cases[] = {
      {"the namespace is going away",
       {403,
        R"({"kind":"Status","code":403,"reason":"Forbidden","details":{"causes":[{"reason":"NamespaceTerminating"}]}})"}},
      {"the namespace is gone",
       {404,
        R"({"kind":"Status","code":404,"reason":"NotFound","details":{"kind":"namespaces","name":"shop"}})"}},
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

// A tenant deletes its reports as they appear, recreates pods, or has a webhook with arbitrary replies.
TEST(ReportWriter, AnAnswerAboutOneReportIsNotTakenForOneAboutAll) {
  const auto status = [](int code, const char* message) {
    return client::Response{
        code, fmt::format(R"({{"code":{},"reason":"NotFound","message":"{}"}})", code, message)};
  };
  const auto not_found = [](const char* kind, const char* name) {
    return client::Response{
        404, fmt::format(R"({{"kind":"Status","reason":"NotFound","details":{{"kind":"{}","name":"{}"}}}})",
                         kind, name)};
  };
  struct Case {
    const char* name;
    const char* method;
    ObjectServer::Reply reply;
  };
  const Case cases[] = {
      {"it was deleted before its status was written", "PATCH", not_found("schedulingreports", "web")},
      {"a webhook says 404", "POST", status(404, R"(admission webhook \"w\" denied the request)")},
      {"a webhook says 429", "POST", status(429, R"(admission webhook \"w\" denied the request)")},
      {"a webhook says 503", "POST", status(503, R"(admission webhook \"w\" denied the request)")},
      {"the namespace is gone", "POST", not_found("namespaces", "greedy")},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Writing w;
    w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      const bool theirs = request.target.find("/namespaces/greedy/") != std::string::npos;
      if (!theirs || request.method != c.method) return std::nullopt;
      return c.reply;
    };
    for (int i = 0; i < 40; ++i) {
      const auto name = fmt::format("g{}", i);
      w.bind(pod(name).ns("greedy").uid("uid-of-" + name).req("cpu", "1"));
      w.decide(pod(name + "-f").ns("greedy").uid("uid-of-" + name + "-f").req("cpu", "64"));
    }
    w.bind(small("modest"));
    w.run_until([&] { return w.report("modest") != nullptr && w.writer.counts().written > 0; });
    EXPECT_EQ(w.log.count("paused"), 0);
    EXPECT_LE(w.log.count("warning "), 2);
  }
}

TEST(ReportWriter, OneThatIsDeletedAsItAppearsIsDroppedAndCounted) {
  Writing w;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method == "PATCH") w.server.erase(kPlural, "shop", "web");
    return std::nullopt;
  };
  w.decide(huge("web"));
  w.run();
  EXPECT_EQ(w.writer.counts().failed, 1u);
  EXPECT_EQ(w.writer.counts().waiting, 0u);
  EXPECT_EQ(w.log.count("paused"), 0);
}

// One namespace has more failures than room, another is modest.
TEST(ReportWriter, AtTheBoundTheNewestOfEachKindAreKeptAndNothingWaits) {
  Writing w({}, 10);
  w.bind(pod("m1").ns("modest").uid("uid-of-m1").req("cpu", "1"));
  w.decide(pod("m2").ns("modest").uid("uid-of-m2").req("cpu", "64"));
  w.run();
  for (int i = 0; i < 40; ++i) {
    w.decide(huge(fmt::format("f{:02}", i)));
    w.run();
  }
  for (int i = 0; i < 6; ++i) {
    w.bind(small(fmt::format("s{}", i)));
    w.run();
  }
  w.decide(huge("f99"));
  w.run();
  const auto requests = w.server.requests().size();
  EXPECT_EQ(w.reports(), (Lines{"m1 uid-of-m1 Scheduled 1", "m2 uid-of-m2 Unschedulable 1",
                                "f37 uid-of-f37 Unschedulable 1", "f38 uid-of-f38 Unschedulable 1",
                                "f39 uid-of-f39 Unschedulable 1", "f99 uid-of-f99 Unschedulable 1",
                                "s2 uid-of-s2 Scheduled 1", "s3 uid-of-s3 Scheduled 1",
                                "s4 uid-of-s4 Scheduled 1", "s5 uid-of-s5 Scheduled 1"}));
  EXPECT_EQ(w.writer.counts().waiting, 0u);
  EXPECT_EQ(w.writer.counts().retried, 0u);
  EXPECT_EQ(w.writer.counts().dropped, 0u);
  EXPECT_EQ(requests, 3u * 49u - 10u) << "a report costs its POST, its PATCH, and the deletion of another";
}

TEST(ReportWriter, AtTheBoundTheFailuresOfPodsThatAreGoneLeaveFirst) {
  Writing w({}, 4);
  for (const char* name : {"a", "b", "c", "d"}) {
    w.decide(huge(name));
    w.run();
  }
  w.recorder.forgotten("uid-of-c");
  w.decide(huge("e"));
  w.run();
  EXPECT_EQ(w.reports(), (Lines{"a uid-of-a Unschedulable 1", "b uid-of-b Unschedulable 1",
                                "d uid-of-d Unschedulable 1", "e uid-of-e Unschedulable 1"}));
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

TEST(ReportWriter, AStopWritesOnlyWhatIsNew) {
  Writing w;
  for (const auto* name : {"same", "fits", "gated"}) w.decide(huge(name));
  w.run();
  w.clock.advance(60s);
  bool drained = false;
  asio::co_spawn(w.io, w.writer.drain(1s),
                 [&](std::exception_ptr) { drained = true; });  // before the workers
  const auto before = w.server.requests().size();
  w.decide(huge("same"), 2);
  w.bind(small("fits"));
  w.decide(huge("new"));
  w.gated(huge("gated"), 1, {"SchedulingGates", framework::Code::unschedulable_and_unresolvable, {}});
  w.run_until([&] { return drained; });
  EXPECT_EQ(w.reports(), (Lines{"fits uid-of-fits Scheduled 1", "gated uid-of-gated Gated 1",
                                "new uid-of-new Unschedulable 1", "same uid-of-same Unschedulable 1"}));
  for (std::size_t i = before; i < w.server.requests().size(); ++i)
    EXPECT_EQ(w.server.requests()[i].find("/same"), std::string::npos) << w.server.requests()[i];
  EXPECT_EQ(w.writer.counts().dropped, 0u);
  EXPECT_EQ(w.writer.counts().unchanged, 1u);
}

TEST(ReportWriter, AStopEndsByItsDeadline) {
  Writing w;
  w.server.transport->latency = 1ms;
  for (int i = 0; i < 500; ++i) w.bind(small(fmt::format("p{:03}", i)));
  w.drain(5ms);
  w.run();  // the requests in flight
  const auto counts = w.writer.counts();
  EXPECT_GT(counts.dropped, 0u);
  EXPECT_EQ(counts.waiting, 0u);
  EXPECT_EQ(counts.written + counts.dropped, 500u);
}

// The next leader decides on pods that wait, and writes their reports. Those of placed pods are this one's.
TEST(ReportWriter, AStopLeavesReportsOfWaitingPodsToTheNextLeader) {
  Writing w;
  w.server.transport->latency = 1ms;
  for (int i = 0; i < 500; ++i) w.decide(huge(fmt::format("waits-{:03}", i)));
  for (int i = 0; i < 40; ++i) w.bind(small(fmt::format("p{:02}", i)));
  w.drain({1h, 5ms});
  const auto reports = w.reports();
  EXPECT_EQ(std::ranges::count_if(reports, [](const auto& line) { return line.contains("Scheduled"); }), 40);
  w.run();  // the requests in flight
  const auto counts = w.writer.counts();
  EXPECT_GT(counts.dropped, 0u);
  EXPECT_EQ(counts.written + counts.dropped, 540u);
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

TEST(ReportWriter, AtTheBoundANewReportTakesTheOldestsPlace) {
  Writing w({}, 2);
  for (const char* name : {"q1", "q2"})  // what-ifs do not count
    w.retention.track("shop", name, name, 100s, ReportKind::question);
  for (const char* name : {"a", "b", "c", "d"}) {
    w.bind(small(name));
    w.run();
    EXPECT_LE(w.server.all(kPlural).size(), 2u);
  }
  EXPECT_EQ(w.reports(), (Lines{"c uid-of-c Scheduled 1", "d uid-of-d Scheduled 1"}));
  EXPECT_EQ(w.writer.counts().dropped, 0u);
  EXPECT_EQ(w.writer.counts().retried, 0u);
  EXPECT_EQ(w.retention.deleted_early(), 2u);
}

TEST(ReportWriter, AtTheBoundAllOfManyAreReported) {
  Writing w({}, 5);
  for (int i = 0; i < 60; ++i) w.bind(small(fmt::format("p{:02}", i)));
  w.run_until([&] { return w.writer.counts().written == 60; });
  EXPECT_LE(w.server.all(kPlural).size(), 5u);
  EXPECT_EQ(w.writer.counts().dropped, 0u);
}

TEST(ReportWriter, AtTheBoundFailuresStayBeforeSuccesses) {
  Writing w({}, 3);
  w.decide(huge("failed"));
  w.run();
  for (const char* name : {"a", "b", "c", "d"}) {
    w.bind(small(name));
    w.run();
  }
  EXPECT_EQ(w.reports(), (Lines{"c uid-of-c Scheduled 1", "d uid-of-d Scheduled 1",
                                "failed uid-of-failed Unschedulable 1"}));
}

// A namespace that refuses reports must not cost the others theirs.
TEST(ReportWriter, ARefusedReportTakesNoMorePlacesThanItNeeds) {
  Writing w({}, 10);
  for (int i = 0; i < 10; ++i) w.bind(small(fmt::format("p{}", i)));
  w.run();
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.target.find("/namespaces/full/") == std::string::npos) return std::nullopt;
    return client::Response{403, R"({"code":403,"message":"exceeded quota: none"})"};
  };
  w.bind(pod("f").ns("full").uid("full").req("cpu", "1"));
  w.run_until([&] { return w.writer.counts().retried >= 20; });
  EXPECT_EQ(w.reports().size(), 9u);
}

TEST(ReportWriter, WhatCannotBeDeletedKeepsTheBound) {
  Writing w({}, 3);
  for (const char* name : {"a", "b", "c"}) w.bind(small(name));
  w.run();
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "DELETE") return std::nullopt;
    return client::Response{403, "{}"};
  };
  for (int i = 0; i < 20; ++i) w.bind(small(fmt::format("p{:02}", i)));
  for (int i = 0; i < 2'000; ++i) {
    w.io.run_one();
    w.clock.advance(1ms);
  }
  EXPECT_LE(w.reports().size(), 3u + 4u);
  w.server.on_request = {};
  w.retention.start();
  w.run_until([&] { return w.writer.counts().written == 23; });
  EXPECT_LE(w.reports().size(), 3u);
}

TEST(ReportWriter, AtTheBoundAReportThatIsThereIsRewritten) {
  Writing w({}, 1);
  w.decide(huge("a"));
  w.run();
  w.bind(small("a"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{"a uid-of-a Scheduled 1"});
}

// The reports of an earlier leader are over a budget that was lowered, and retention has stopped.
TEST(ReportWriter, OverTheBoundAStopWritesTheReportsThatExist) {
  Writing w;
  for (int i = 0; i < 20; ++i) w.decide(huge(fmt::format("p{:02}", i)));
  w.run();
  Retention retention(w.api, Writing::retention_options(5), w.gate, w.io.get_executor());
  for (const auto& report : w.server.all(kPlural)) retention.found(report);
  ReportWriter writer(w.api, w.bindings_first, retention, w.settings, w.gate, w.io.get_executor());
  ReportRecorder recorder(writer, w.settings, {}, {});
  const auto before = w.server.requests().size();
  for (int i = 0; i < 20; ++i) {
    framework::Attempt what;
    what.pod = cluster::make_pod_info(test::share(small(fmt::format("p{:02}", i))));
    what.profile = "default-scheduler";
    what.number = 7;
    what.decided_at = w.clock.wall();
    recorder.decided(what, framework::evaluate(*what.pod, w.cluster, *default_config().profiles[0]),
                     w.cluster);
    recorder.binding_ended(*what.pod, {.bound = true, .node = "n1"});
  }
  bool drained = false;
  asio::co_spawn(w.io, writer.drain(1s), [&](std::exception_ptr) { drained = true; });
  w.run_until([&] { return drained; });
  EXPECT_EQ(writer.counts().written, 20u);
  EXPECT_EQ(writer.counts().dropped, 0u);
  EXPECT_EQ(w.reports().size(), 20u);
  EXPECT_EQ(w.reports().back(), "p19 uid-of-p19 Scheduled 7");
  for (const auto& request : w.server.requests() | std::views::drop(before))
    EXPECT_FALSE(request.starts_with("DELETE")) << "a rewrite takes the place of no other report";
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
    EXPECT_EQ(w.log.count("report writes resumed namespace=full"), 1);
  }
}

TEST(ReportWriter, WhatANamespaceRefusesForLongerThanTheTtlIsDropped) {
  Writing w;
  w.server.refuse(1'000'000, client::Response{403, "{}"});
  for (int i = 0; i < 12; ++i) w.bind(small(fmt::format("p{}", i)));
  w.run_until([&] { return w.log.count("refused") > 0; });
  w.clock.advance(24h);
  w.run();
  EXPECT_EQ(w.writer.counts().dropped, 12u);
}

TEST(ReportWriter, PodsThatWaitAreReportedBeforePlacedOnesInABurst) {
  Writing w;
  for (int i = 0; i < 200; ++i) w.bind(small(fmt::format("p{}", i)));
  w.decide(huge("waits"));
  w.run();
  const auto& sent = w.server.transport->requests();
  const auto at = std::ranges::find_if(
      sent, [](const auto& request) { return request.body.contains("\"uid-of-waits\""); });
  ASSERT_NE(at, sent.end());
  EXPECT_LT(at - sent.begin(), 50) << "of some 200 placed ones";
  EXPECT_EQ(w.writer.counts().waiting, 0u) << "the placed ones are written too";
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

}  // namespace
}  // namespace podium::controller::report_writer_test
