// What an earlier answer left on a what-if, and what follows for the next one.
#include "controller/what_if/asked.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/time.h"
#include "controller/report/metadata.h"
#include "explain/report/refusal.h"

namespace podium::controller {

using namespace explain;
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr std::string_view kAnswered = R"({
  "metadata": {"name": "ask", "namespace": "shop", "uid": "u", "generation": 3,
    "resourceVersion": "7", "labels": {"a": "b",
    "podium.dev/report": "question", "podium.dev/outcome": "Fits", "podium.dev/expires": "202601020304"}},
  "spec": {"dryRun": true, "refreshSeconds": 60, "schedulerName": "batch"},
  "status": {"observedGeneration": 3, "decidedAt": "2026-01-02T03:00:00Z", "conditions": [
    {"type": "Other", "status": "True", "reason": "R", "message": "m", "lastTransitionTime": "2026-01-01T00:00:00Z"},
    {"type": "Accepted", "status": "True", "reason": "Accepted", "message": "a \"word\": ]}", "lastTransitionTime": "2026-01-02T03:00:00Z"},
    {"type": "Complete", "status": "False", "reason": "Fits", "message": "m", "lastTransitionTime": "soon"}]}})";

std::string line(const AnsweredBefore& before) {
  auto out = fmt::format("{} {} {}", before.kind, before.outcome, before.expires);
  for (const auto& each : before.conditions) {
    out += fmt::format("; {} {} {} {}", each.type, each.is_true, each.reason,
                       each.since ? format_time(*each.since) : "never");
  }
  return out;
}

TEST(Asked, TheWatchAndTheTextSayTheSame) {
  const Seen seen(json::parse(kAnswered));
  EXPECT_EQ(
      line(seen.asked.before),
      "question Fits 202601020304; Accepted true Accepted 2026-01-02T03:00:00Z; Complete false Fits never");
  EXPECT_TRUE(seen.is_answered());
  EXPECT_EQ(seen.refresh, 60s);
  EXPECT_EQ(seen.scheduler_name, "batch");
  EXPECT_EQ(seen.decided_at, parse_time("2026-01-02T03:00:00Z"));
  const auto report = explain::scan_report(kAnswered);
  ASSERT_TRUE(report);
  const auto asked = asked_of(*report);
  EXPECT_EQ(line(asked.before), line(seen.asked.before));
  EXPECT_EQ(asked.uid, seen.asked.uid);
  EXPECT_EQ(asked.generation, seen.asked.generation);
  EXPECT_EQ(asked.version, "7");
  EXPECT_EQ(seen.asked.version, "7");
  const StatusMark mark{.exists = true, .decided_at = R"("2026-01-02T03:00:00Z")", .observed = "3"};
  EXPECT_EQ(seen.asked.before.status, mark);
  EXPECT_EQ(asked.before.status, mark);
}

TEST(Asked, TheWatchAndTheTextIdentifyTheSameStatus) {
  for (const auto* status : {R"({})", R"(null)", R"({"decidedAt": "\u0032026"})", R"({"decidedAt": null})",
                             R"({"decidedAt": 7, "observedGeneration": "x"})",
                             R"({"decidedAt": {"a": [ ]}, "observedGeneration": 18446744073709551615})"}) {
    SCOPED_TRACE(status);
    const auto text = fmt::format(R"({{"metadata":{{"name":"ask"}},"status":{}}})", status);
    const auto report = explain::scan_report(text);
    ASSERT_TRUE(report);
    EXPECT_EQ(asked_of(*report).before.status, Seen(json::parse(text)).asked.before.status);
  }
  EXPECT_FALSE(Seen(json::parse(R"({"metadata":{"name":"ask"}})")).asked.before.status.exists);
}

TEST(Asked, WhatOthersWroteIsHarmless) {
  const std::string_view statuses[] = {
      R"({"conditions": 3})",
      R"({"conditions": [3, "a", null, {}, [{"type": "Accepted", "status": "True"}]]})",
      R"({"conditions": [{"type": "Accepted"}, {"status": "True"}], "decidedAt": {}})",
      R"({"conditions": {"type": "Accepted", "status": "True"}})",
  };
  for (const auto status : statuses) {
    SCOPED_TRACE(status);
    const auto text = fmt::format(
        R"({{"metadata":{{"name":"ask","labels":[],"generation":1}},"spec":{{"refreshSeconds":-5}},"status":{}}})",
        status);
    const Seen seen(json::parse(text));
    EXPECT_EQ(line(seen.asked.before), "  ");
    EXPECT_EQ(seen.refresh, 0s);
    const auto report = explain::scan_report(text);
    ASSERT_TRUE(report);
    EXPECT_EQ(line(asked_of(*report).before), "  ");
  }
}

// The CRD has this bound, and an older one may have another.
TEST(Asked, APeriodIsADayAtMost) {
  for (const auto& [given, read] : {std::pair("86400", 86'400s),
                                    {"86401", 86'400s},
                                    {"9223372036854775807", 86'400s},
                                    {"-9223372036854775808", 0s},
                                    {"1e300", 0s}}) {
    const auto text = fmt::format(R"({{"metadata":{{"name":"ask"}},"spec":{{"refreshSeconds":{}}}}})", given);
    EXPECT_EQ(Seen(json::parse(text)).refresh, read) << given;
  }
}

TEST(Asked, AConditionKeepsItsTimeWhileItsStatusIsTheSame) {
  const auto now = *parse_time("2026-01-02T04:00:00Z");
  const auto before = Seen(json::parse(kAnswered)).asked.before;
  ReportStatus status;
  status.conditions = {report_condition("Accepted", true, "Accepted", "m"),
                       report_condition("Complete", false, "Fits", "m")};
  stamp(before, now, status);
  EXPECT_EQ(format_time(status.conditions[0].since), "2026-01-02T03:00:00Z");
  EXPECT_EQ(status.conditions[1].since, now) << "its time cannot be read";
  status.conditions[0].is_true = false;
  stamp(before, now, status);
  EXPECT_EQ(status.conditions[0].since, now);
  status.conditions[0].is_true = true;
  stamp(before, now - 24h, status);
  EXPECT_EQ(status.conditions[0].since, now - 24h) << "not a time to come";
}

TEST(Asked, LabelsChangeWhereTheyAreWrongOrFarBehind) {
  const auto labelled = *parse_time("2026-01-02T03:04:00Z");
  const auto right = Seen(json::parse(kAnswered)).asked.before;
  struct Case {
    const char* name;
    ReportLabels wanted;
    std::chrono::seconds ttl;
    bool needs;
  };
  const Case cases[] = {
      {"the same", {explain::kQuestion, "Fits", labelled}, 1h, false},
      {"a little later", {explain::kQuestion, "Fits", labelled + 359s}, 1h, false},
      {"later by a tenth", {explain::kQuestion, "Fits", labelled + 360s}, 1h, true},
      {"earlier by a tenth", {explain::kQuestion, "Fits", labelled - 360s}, 1h, true},
      {"a minute of a short TTL", {explain::kQuestion, "Fits", labelled + 59s}, 10s, false},
      {"more than that", {explain::kQuestion, "Fits", labelled + 60s}, 10s, true},
      {"another outcome", {explain::kQuestion, "DoesNotFit", labelled}, 1h, true},
      {"another kind", {explain::kDecision, "Fits", labelled}, 1h, true},
      {"kept now", {explain::kQuestion, "Fits", std::nullopt}, 1h, true},
  };
  for (const auto& c : cases) EXPECT_EQ(needs_labels(right, c.wanted, c.ttl), c.needs) << c.name;
  for (const char* far : {"000101010000", "168001010000", "226012312359", "999912312359"}) {
    auto forged = right;
    forged.expires = far;
    EXPECT_TRUE(needs_labels(forged, {explain::kQuestion, "Fits", labelled}, 1h)) << far;
  }
  auto kept = right;
  kept.expires.clear();
  EXPECT_FALSE(needs_labels(kept, {explain::kQuestion, "Fits", std::nullopt}, 1h));
  EXPECT_TRUE(needs_labels(kept, {explain::kQuestion, "Fits", labelled}, 1h));
  EXPECT_TRUE(needs_labels({}, {explain::kQuestion, "Fits", std::nullopt}, 1h));
}

}  // namespace
}  // namespace podium::controller
