// What a report's metadata tell Retention.
#include "controller/report/metadata.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "base/time.h"
#include "explain/report/ttl.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;

TEST(ReportMetadata, MinutesAreRoundedUpAndReadBack) {
  struct Case {
    const char* time;
    const char* label;
  };
  const Case cases[] = {
      {"2026-11-22T13:20:00Z", "202611221320"},
      {"2026-11-22T13:20:01Z", "202611221321"},
      {"2026-12-31T23:59:59Z", "202701010000"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.time);
    const auto label = expiry_minute(*parse_time(c.time));
    EXPECT_EQ(label, c.label);
    EXPECT_EQ(expiry_minute(Wall(std::chrono::minutes(minute_of(label)))), label);
  }
  for (const char* text :
       {"", "soon", "20261122132", "2026112213200", "202613221320", "2026-1-22132", "196901010000"})
    EXPECT_EQ(minute_of(text), 0u) << text;
}

TEST(ReportMetadata, ReturnsSizeOutcomeAndExpiry) {
  const auto read = read_metadata(boost::json::parse(R"({"metadata": {
      "namespace": "shop", "name": "web", "uid": "1", "creationTimestamp": "2026-11-22T13:20:00Z",
      "labels": {"podium.dev/report": "decision", "podium.dev/outcome": "Unschedulable",
                 "podium.dev/expires": "202611231320"},
      "annotations": {"podium.dev/ttl": "86400", "podium.dev/bytes": "4321"}}})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, ReportKind::decision);
  EXPECT_EQ(read->ttl, 24h);
  EXPECT_EQ(read->bytes, 4'321u);
  EXPECT_TRUE(read->failure);
  EXPECT_EQ(read->minute, minute_of("202611231320"));
}

TEST(ReportMetadata, WhatOthersWriteIsBounded) {
  const auto read = read_metadata(boost::json::parse(R"({"metadata": {
      "namespace": "shop", "name": "web", "uid": "1",
      "labels": {"podium.dev/report": "decision", "podium.dev/expires": "never"},
      "annotations": {"podium.dev/ttl": "-1", "podium.dev/bytes": "99999999999999"}}})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ttl, std::nullopt);
  EXPECT_EQ(read->bytes, 0u) << "a number that no report has";
  EXPECT_EQ(read->minute, 0u);
  EXPECT_FALSE(read->failure);
}

TEST(ReportMetadata, TimesThatOthersWroteDoNoHarm) {
  struct Case {
    const char* decided;
    const char* expires;
    std::chrono::seconds expect;
  };
  const Case cases[] = {
      {"2026-11-22T13:20:00Z", "2026-11-22T14:20:00Z", 1h},
      {"0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", explain::kKept},
      {"2026-11-22T13:20:00Z", "1999-01-01T00:00:00Z", 7min},
      {"yesterday", "tomorrow", 7min},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expires);
    const boost::json::value report{{"metadata", {{"name", "r"}}},
                                    {"status", {{"decidedAt", c.decided}, {"expiresAt", c.expires}}}};
    EXPECT_EQ(full_ttl(report, ReportMetadata{}, 7min), c.expect);
  }
}

TEST(ReportLabels, AreWrittenAgainOnceTheyLagByATenthOfTheTtl) {
  const Wall labelled(1h);
  EXPECT_FALSE(lags(labelled, labelled + 23h, 240h));
  EXPECT_TRUE(lags(labelled, labelled + 24h, 240h));
  EXPECT_FALSE(lags(labelled, labelled - 48h, 240h)) << "the report expires before its label says so";
  EXPECT_FALSE(lags(labelled, labelled + 59s, 60s)) << "at least a minute";
  EXPECT_TRUE(lags(labelled, labelled + 60s, 60s));
}

}  // namespace
}  // namespace podium::controller
