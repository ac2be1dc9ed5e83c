// Retention deletes expired reports, and no others.
#include <gmock/gmock.h>

#include "unit/controller/retention/keeping.h"
#include "unit/metrics/sampled.h"

namespace podium::controller::retention_test {
namespace {

TEST(Retention, DeletesWhatIsDueInTheOrderInWhichItIs) {
  Keeping k;
  for (const auto& [name, ttl] : {std::pair{"a", 20s}, {"b", 10s}, {"c", 31s}}) {
    k.keep(name);
    k.track(name, ttl);
  }
  k.clock.advance(30s);
  k.run_until([&] { return k.retention.deleted() == 2; });
  EXPECT_EQ(k.deletes(), (Lines{"b", "a"}));
  EXPECT_EQ(k.names(), Lines{"c"});
  EXPECT_EQ(k.retention.size(), 1u);
}

TEST(Retention, AReportThatIsWrittenAgainLivesOn) {
  Keeping k;
  for (const char* name : {"a", "b"}) {
    k.keep(name);
    k.track(name, 10s);
  }
  k.track("a", 100s);
  k.clock.advance(30s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{"a"});
}

// A list of two pages. The first has a report that is then rewritten, and one that is then recreated.
TEST(Retention, AReportThatIsWrittenWhileAllAreListedLivesOn) {
  Keeping k;
  for (const char* name : {"a-again", "a-newer"}) k.keep(name, 90s, {{"podium.dev/ttl", "100"}});
  k.keep("a-left", 80s, {{"podium.dev/ttl", "100"}});
  for (int i = 0; i < 500; ++i) k.keep(fmt::format("b{:03}", i));
  int lists = 0;
  k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    lists += request.method == "GET" ? 1 : 0;
    if (request.target.find("continue=") == std::string::npos) return std::nullopt;
    k.track("a-again", 100s);
    k.retention.track("shop", "a-newer", "another-uid", 100s, ReportKind::decision);
    return std::nullopt;
  };
  k.run_until([&] { return lists == 3 && k.retention.size() == 503; });
  k.clock.advance(50s);
  k.run_until([&] { return k.retention.deleted() >= 1; });
  EXPECT_EQ(k.deletes(), Lines{"a-left"});
  EXPECT_EQ(k.retention.size(), 502u);
}

// The newest report in the list gives the API server's time.
TEST(Retention, FindsWhatWasLeft) {
  const json::value decision{{"dryRun", false}}, question{{"dryRun", true}}, noted{{"podium.dev/ttl", "10"}};
  const auto answered = [](const char* decided, const char* expires) {
    return json::value{{"decidedAt", decided}, {"expiresAt", expires}};
  };
  struct Case {
    const char* name;
    std::chrono::seconds age;
    json::value annotations, spec, status;
    bool goes;
  };
  const Case cases[] = {
      {"its TTL is noted, old", 11s, noted, decision, {}, true},
      {"its TTL is noted, young", 9s, noted, decision, {}, false},
      {"nothing is noted, old", 86'401s, {}, decision, {}, true},
      {"nothing is noted, young", 86'399s, {}, decision, {}, false},
      {"its status tells, old",
       601s,
       {},
       decision,
       answered("2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"),
       true},
      {"its status tells, young",
       3'599s,
       {},
       decision,
       answered("2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"),
       false},
      {"a what-if with a TTL, old", 3'601s, {}, {{"dryRun", true}, {"ttlSeconds", 3600}}, {}, true},
      {"a what-if with a TTL, young", 3'599s, {}, {{"dryRun", true}, {"ttlSeconds", 3600}}, {}, false},
      {"a what-if whose TTL is not one", 86'401s, {}, {{"dryRun", true}, {"ttlSeconds", -5}}, {}, true},
      {"a what-if that is kept", 100'000'000s, {}, {{"dryRun", true}, {"ttlSeconds", 0}}, {}, false},
      {"a what-if that bears podium's notes", 100s, noted, question, {}, false},
      {"an answered what-if",
       601s,
       {},
       question,
       answered("2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"),
       true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Keeping k;
    k.keep("newest");
    k.keep("it", c.age, c.annotations, c.spec, c.status);
    k.run_until([&] { return c.goes ? k.retention.deleted() == 1 : k.retention.size() == 2; });
    for (int i = 0; i < 100; ++i) k.io.run_one();
    EXPECT_EQ(k.names(), c.goes ? Lines{"newest"} : (Lines{"it", "newest"}));
  }
}

TEST(Retention, ListsMetadataOnly) {
  Keeping k;
  k.keep("a", 11s, {{"podium.dev/ttl", "10"}});
  k.keep("newest");
  k.run_until([&] { return k.retention.deleted() == 1; });
  for (const auto& request : k.server.transport->requests()) {
    if (request.method != "GET") continue;
    EXPECT_NE(request.accept.find("PartialObjectMetadataList"), std::string::npos);
  }
}

TEST(Retention, TheLastWriteCountsNotTheFirst) {
  Keeping k;
  k.keep("newest");
  k.keep("it", 1'000s, {{"podium.dev/ttl", "10"}});
  auto object = k.report("it");
  object.at("metadata").as_object()["managedFields"] =
      json::array{{{"manager", "podium"}, {"time", format_time(k.clock.wall() - 5s)}}};
  k.server.put(kPlural, object);
  k.run_until([&] { return k.retention.size() == 2; });
  EXPECT_EQ(k.names(), (Lines{"it", "newest"}));
  k.clock.advance(5s);
  k.run_until([&] { return k.retention.deleted() == 1; });
}

TEST(Retention, AnotherOfTheSameNameIsLeftAlone) {
  Keeping k;
  k.keep("a");
  k.retention.track("shop", "a", "uid-of-the-first", 1s, ReportKind::decision);
  k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method == "GET")
      return client::Response{403, "{}"};  // it is not listed: only the precondition saves it
    return std::nullopt;
  };
  k.clock.advance(1s);
  k.run_until([&] { return k.deletes().size() == 1; });
  EXPECT_EQ(k.names(), Lines{"a"});
  EXPECT_EQ(k.retention.deleted(), 0u);
}

// The answer to the first report's write comes last.
TEST(Retention, OneThatMadeWayGivesItsEntryToTheNext) {
  Keeping k;
  k.keep("a", 0s, {{"podium.dev/ttl", "100"}});
  k.run_until([&] { return k.retention.size() == 1; });
  k.retention.track("shop", "a", "uid-of-the-first", 50s, ReportKind::decision);
  k.clock.advance(50s);
  k.run_until([&] { return k.deletes().size() == 1; });
  EXPECT_EQ(k.retention.size(), 1u);
  EXPECT_EQ(k.retention.deleted(), 0u);
  k.clock.advance(50s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{});
  EXPECT_EQ(k.retention.size(), 0u);
}

TEST(Retention, OneThatIsEvictedTwiceGivesItsEntryToTheNext) {
  auto options = fast();
  options.limits = {{1, 1u << 30}, {1, 1u << 30}};
  Keeping k(options);
  k.keep("a", 0s, {{"podium.dev/ttl", "100"}});
  k.run_until([&] { return k.retention.size() == 1; });
  k.retention.track("shop", "a", "uid-of-the-first", 50s, ReportKind::decision);
  const auto leaving = k.retention.reserve("shop", 3'000);
  ASSERT_TRUE(leaving && leaving->size() == 1);
  Error another;
  another.kind = Error::Kind::status;
  another.status.code = 409;
  k.retention.evicted(leaving->front(), std::unexpected(another));
  k.retention.release("shop", 3'000);
  k.clock.advance(100s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{});
}

TEST(Retention, ForgettingAfterADeleteSparesTheEntryOfANewReport) {
  Keeping k;
  k.keep("a");
  k.track("a", 1s);
  k.clock.advance(1s);
  k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method == "GET") return client::Response{403, "{}"};
    k.retention.track("shop", "a", "uid-of-the-next", 100s, ReportKind::decision);
    return std::nullopt;
  };
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.retention.size(), 1u);
}

TEST(Retention, AReportThatIsWrittenWhileItIsReadLivesOn) {
  Keeping k;
  k.keep("newest");
  k.keep("it", 86'300s, {}, {{"dryRun", true}});
  bool read = false;
  k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "GET" || !request.target.ends_with("/it")) return std::nullopt;
    read = true;
    auto before = k.report("it");
    k.retention.track("shop", "it", "uid-of-it", 1'000s, ReportKind::question);
    return client::Response{200, json::serialize(before)};
  };
  k.run_until([&] { return k.retention.size() == 2; });
  k.clock.advance(60s);
  k.run_until([&] { return read; });
  k.clock.advance(900s);
  for (int i = 0; i < 100; ++i) k.io.run_one();
  EXPECT_EQ(k.names().size(), 2u);
  k.clock.advance(100s);
  k.run_until([&] { return k.retention.deleted() == 1; });
}

TEST(Retention, WhatIsGoneAlreadyIsForgotten) {
  Keeping k;
  k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    const bool lists = request.method == "GET";
    return lists ? std::optional<ObjectServer::Reply>(client::Response{403, "{}"}) : std::nullopt;
  };
  k.track("a", 1s);
  k.track("b", 2s);
  k.retention.forget("shop", "b");
  k.clock.advance(2s);
  k.run_until([&] { return k.retention.size() == 0; });
  EXPECT_EQ(k.retention.deleted(), 0u);
}

TEST(Retention, OneThatCannotBeDeletedStopsNoOther) {
  for (const int code : {403, 500}) {
    SCOPED_TRACE(code);
    Keeping k;
    k.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      const bool denied = request.method == "DELETE" && request.target.ends_with("/a");
      return denied ? std::optional<ObjectServer::Reply>(client::Response{code, "{}"}) : std::nullopt;
    };
    Lines rest;
    for (int i = 0; i < 50; ++i) rest.push_back(fmt::format("b{:02}", i));
    k.keep("a");
    k.track("a", 1s);
    for (const auto& name : rest) {
      k.keep(name);
      k.track(name, 2s);
    }
    k.clock.advance(2s);
    k.run_until([&] { return k.retention.deleted() == 50; });
    EXPECT_EQ(k.names(), Lines{"a"});
    EXPECT_EQ(k.log.count("report not deleted"), 1);
    k.server.on_request = {};
    k.clock.advance(1s);
    k.run_until([&] { return k.retention.deleted() == 51; });
    EXPECT_EQ(k.retention.size(), 0u);
  }
}

TEST(Retention, ListsUntilItSucceedsAndThenAgainInTime) {
  Keeping k;
  const auto lists = [&] { return k.server.requests("GET").size(); };
  k.server.refuse(2, client::Response{403, "{}"});
  k.keep("a", 0s, {{"podium.dev/ttl", "3000"}});
  k.run_until([&] {
    k.clock.advance(1ms);
    return k.retention.size() == 1;
  });
  EXPECT_EQ(lists(), 4u) << "two that were refused, and one of each kind";
  k.keep("b", 0s, {{"podium.dev/ttl", "3000"}});
  k.clock.advance(31min);
  k.run_until([&] { return k.retention.size() == 2; });
  EXPECT_EQ(lists(), 6u);
}

TEST(Retention, AListShowsWhatOthersHaveDeleted) {
  Keeping k;
  for (const char* name : {"a", "b"}) {
    k.keep(name, 0s, {{"podium.dev/ttl", "10000"}});
    k.track(name, 10'000s);
  }
  k.server.erase(kPlural, "shop", "a");
  k.run_until([&] { return k.retention.size() == 1; });
  EXPECT_EQ(k.deletes(), Lines());
}

TEST(Retention, CatchesUpOnALongListByPages) {
  Keeping k;
  for (int i = 0; i < 1'200; ++i)
    k.keep(fmt::format("r{:04}", i), i < 400 ? 11s : 0s, {{"podium.dev/ttl", "10"}});
  k.run_until([&] { return k.retention.deleted() == 400; });
  EXPECT_EQ(k.retention.size(), 800u);
  EXPECT_EQ(k.names().front(), "r0400");
  EXPECT_EQ(k.server.requests("GET").size(), 4u) << "three pages of decisions, one of what-ifs";
}

TEST(Retention, WhatExceedsABudgetGoesEarly) {
  auto options = fast();
  options.limits = {{98, 1u << 30}, {98, 1u << 30}};
  Keeping k(options);
  for (int i = 0; i < 100; ++i) {
    k.keep(fmt::format("r{:02}", i));
    k.track(fmt::format("r{:02}", i), std::chrono::seconds(1'000 + i));
  }
  for (int i = 0; i < 50; ++i) k.track(fmt::format("q{:02}", i), 100s, ReportKind::question);
  k.server.refuse(1, client::Response{403, "{}"});  // the list
  k.run_until([&] { return k.retention.deleted() == 2; });
  EXPECT_EQ(k.deletes(), (Lines{"r00", "r01"}));
  EXPECT_EQ(k.retention.size(ReportKind::decision), 98u);
  EXPECT_EQ(k.retention.deleted_early(), 2u);
  EXPECT_EQ(k.log.count("report budget reached"), 1);
  k.retention.set(600s, {{97, 1u << 30}, {1'000, 1u << 30}});
  k.run_until([&] { return k.retention.deleted() == 3; });
}

TEST(Retention, OneThatWasEvictedAndCouldNotBeDeletedIsDeletedLater) {
  auto options = fast();
  options.limits = {{2, 1u << 30}, {2, 1u << 30}};
  Keeping k(options);
  for (const char* name : {"a", "b"}) {
    k.keep(name);
    k.track(name, 1'000s);
  }
  const auto left = k.retention.reserve("shop", 100);
  ASSERT_TRUE(left && left->size() == 1u);
  k.retention.evicted(left->front(), fail(Error::Kind::unavailable, "cut"));
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{"b"});
  EXPECT_EQ(k.retention.deleted_early(), 1u);
}

TEST(Retention, CountsTheReportsThatABudgetDeletesBeforeTheirPod) {
  auto options = fast();
  options.limits = {{2, 1u << 30}, {2, 1u << 30}};
  Keeping k(options);
  for (const char* name : {"a", "b", "c", "d"}) {
    k.keep(name);
    k.track(name, 1'000s);
  }
  for (const char* name : {"q1", "q2", "q3"}) {
    k.keep(name);
    k.track(name, 1'000s, ReportKind::question);
  }
  k.retention.pod_gone("shop", "c", "uid-of-c");
  k.retention.pod_gone("shop", "d", "another");
  k.server.refuse(1, client::Response{403, "{}"});  // the list
  k.run_until([&] { return k.retention.deleted() == 3; });
  EXPECT_EQ(k.names(), (Lines{"b", "d", "q2", "q3"})) << "c leaves before a, since its pod is gone";
  EXPECT_EQ(k.retention.deleted_early(), 3u);
  EXPECT_EQ(unit::sampled(k.retention).at("podium_reports_deleted_before_pod_total"), 1)
      << "a; c's pod is gone, and q1 is a what-if";
}

TEST(Retention, AReportThatExpiresIsNotDeletedBeforeItsPod) {
  Keeping k;
  k.keep("a");
  k.track("a", 10s);
  k.clock.advance(30s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.retention.deleted_before_pod(), 0u);
}

TEST(Retention, ReportsOfOneMinuteAreDeletedByTheirLabel) {
  Minute k(1'200);
  k.put("later", expiry_minute(k.clock.wall() + 2h));
  k.run_until([&] { return k.retention.size() == 1'201; });
  k.clock.advance(59min);
  for (int i = 0; i < 50; ++i) k.io.run_one();
  EXPECT_EQ(k.retention.deleted(), 0u);
  k.clock.advance(3min);
  k.run_until([&] { return k.retention.deleted() == 1'200; });
  EXPECT_EQ(k.server.requests("DELETE").size(), 3u) << "500 by each";
  EXPECT_EQ(k.names(), Lines{"later"});
  EXPECT_EQ(k.retention.size(), 1u);
}

TEST(Retention, OneThatWasWrittenAgainIsSparedByItsLabel) {
  Minute k(100);
  k.run_until([&] { return k.retention.size() == 100; });
  k.put("r0007", expiry_minute(k.clock.wall() + 5h));
  k.retention.track("shop", "r0007", "uid-of-r0007", 5h, ReportKind::decision, std::nullopt,
                    {.minute = minute_of(expiry_minute(k.clock.wall() + 5h))});
  k.clock.advance(62min);
  k.run_until([&] { return k.retention.deleted() == 99; });
  EXPECT_EQ(k.names(), Lines{"r0007"});
  EXPECT_EQ(k.server.requests("DELETE").size(), 1u);
}

TEST(Retention, OneThatStaysUnderItsOldLabelForbidsDeletionByIt) {
  Minute k(100);
  k.run_until([&] { return k.retention.size() == 100; });
  const auto minute =
      minute_of(ObjectServer::text(k.report("r0007"), "/metadata/labels/podium.dev~1expires"));
  k.retention.track("shop", "r0007", "uid-of-r0007", 5h, ReportKind::decision, std::nullopt,
                    {.minute = minute});
  k.clock.advance(62min);
  k.run_until([&] { return k.retention.deleted() == 99; });
  EXPECT_EQ(k.names(), Lines{"r0007"});
  EXPECT_EQ(k.server.requests("DELETE").size(), 99u) << "one by one";
}

TEST(Retention, WithoutTheRightToDeleteByLabelTheyGoOneByOne) {
  Minute k(100);
  k.server.on_request = [](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    const bool by_label =
        request.method == "DELETE" && request.target.find("labelSelector") != std::string::npos;
    return by_label ? std::optional<ObjectServer::Reply>(client::Response{403, "{}"}) : std::nullopt;
  };
  k.clock.advance(1s);
  k.run_until([&] { return k.retention.size() == 100; });
  k.clock.advance(62min);
  k.run_until([&] { return k.retention.deleted() == 100; });
  EXPECT_EQ(k.log.count("reports not deleted by label"), 1);
}

TEST(Retention, AWhatIfThatIsKeptStays) {
  Keeping k;
  k.keep("kept", 0s, json::object(), {{"dryRun", true}, {"ttlSeconds", 0}});
  k.keep("other");
  k.run_until([&] { return k.retention.size() == 2; });
  k.clock.advance(61s);
  for (int i = 0; i < 100; ++i) k.io.run_one();
  k.clock.advance(23h);
  for (int i = 0; i < 100; ++i) k.io.run_one();
  EXPECT_EQ(k.names(), (Lines{"kept", "other"}));
  k.clock.advance(720h);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{"kept"});
}

TEST(Retention, AStopDeletesNothingMore) {
  Keeping k;
  for (int i = 0; i < 100; ++i) {
    k.keep(fmt::format("r{:02}", i));
    k.track(fmt::format("r{:02}", i), 1s);
  }
  k.clock.advance(1s);
  k.retention.start();
  while (k.retention.deleted() < 10) k.io.run_one();
  k.retention.stop();
  const auto deleted = k.retention.deleted();
  k.io.run();
  EXPECT_LE(k.retention.deleted(), deleted + 64) << "those in flight";
  EXPECT_EQ(k.gate.inside(), 0u);
}

}  // namespace
}  // namespace podium::controller::retention_test
