// The words of the reasons in replies: those of the one table, wherever a reason may be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <set>

#include "base/time.h"
#include "explain/report/reason_words.h"
#include "unit/app/report_api/fixture.h"

namespace podium::app::report_api {
namespace {

explain::ReportStatus waits_for(const framework::ReasonRow& row, std::size_t nodes) {
  explain::ReportStatus status;
  status.outcome = explain::kUnschedulable;
  status.node_counts.total = 5;
  status.rejections = {{"Plugin", std::string(row.name), "kube-scheduler's text", nodes}};
  return status;
}

// Each row of the table, so a text that changes there changes here.
TEST(Words, OfEachReasonAreThoseOfTheTable) {
  std::size_t rows = 0;
  for (const auto& row : framework::reason_rows()) {
    if (row.words.empty()) continue;
    ++rows;
    for (const std::size_t nodes : {1, 4}) {
      Served served;
      const auto status = waits_for(row, nodes);
      served.decisions.remember("shop", "web", "uid", status, controller::pack(status));
      auto words = explain::reason_words(status.rejections.front());
      if (nodes > 1) words = explain::plural_of(words);
      const auto report = json::parse(served.get("/v1/namespaces/shop/pods/web/report?words=true").body);
      const auto line =
          json::parse(served.get("/v1/namespaces/shop/decisions?words=true").body).at("items").at(0);
      const auto& said = report.at("words");
      EXPECT_EQ(std::string(said.at("rejections").at(0).at("reason").as_string()), words) << row.name;
      const auto blocked = std::string(said.at("blockedBy").as_string());
      EXPECT_TRUE(blocked.ends_with(words)) << blocked;
      EXPECT_EQ(line.at("words").at("reason"), said.at("blockedBy")) << row.name;
    }
  }
  EXPECT_GE(rows, 40u);
}

TEST(Words, AreThereIfAskedFor) {
  Served served;
  served.wait("shop", "huge");
  for (const char* path : {"/v1/namespaces/shop/pods/huge/report", "/v1/namespaces/shop/decisions"})
    EXPECT_EQ(served.get(path).body.find("\"words\""), std::string::npos) << path;
}

TEST(Words, SayWhichPodADaemonSetsPodReplaces) {
  Served served;
  auto status = waits_for(framework::row_of(framework::ReasonCode::insufficient_resource), 1);
  const auto replaces = [&] {
    served.decisions.remember("shop", "new", "new", status, controller::pack(status));
    const auto report = json::parse(served.get("/v1/namespaces/shop/pods/new/report?words=true").body);
    const auto* said = report.at("words").as_object().if_contains("replaces");
    return said ? json::serialize(*said) : "";
  };
  EXPECT_EQ(replaces(), "");
  status.replaces = explain::PodBefore{"old", "n1", false};
  EXPECT_EQ(replaces(), R"(["Its DaemonSet's pod old stays on n1 until this one is ready (maxSurge)."])");
}

TEST(Words, NameTheBudgetsThatAPreemptionViolates) {
  Served served;
  explain::ReportStatus status;
  status.outcome = explain::kUnschedulable;
  status.preemption = explain::Preempted{"n1", {{"shop", "low"}}, 1};
  const auto words = [&] {
    served.decisions.remember("shop", "vip", "vip", status, controller::pack(status));
    return json::parse(served.get("/v1/namespaces/shop/pods/vip/report?words=true").body)
        .at("words")
        .as_object();
  };
  EXPECT_FALSE(words().contains("violatedBudgets"));
  status.preemption->violated_budgets = {{"shop", "db"}};
  status.preemption->violated_budgets_total = 1;
  EXPECT_EQ(words().at("violatedBudgets"), "the PodDisruptionBudget shop/db");
}

TEST(Words, SayWhatBecameOfThePod) {
  Served served;
  explain::ReportStatus status;
  status.outcome = explain::kScheduled;
  status.choice.emplace().node = "n1";
  served.decisions.remember("shop", "low", "low", status, controller::pack(status));
  const auto words = [&] {
    return json::parse(served.get("/v1/namespaces/shop/pods/low/report?words=true").body)
        .at("words")
        .as_object();
  };
  EXPECT_FALSE(words().contains("gone"));
  explain::ReportStatus preempts;
  preempts.outcome = explain::kUnschedulable;
  preempts.preemption = explain::Preempted{"n1", {{"shop", "low"}}, 1};
  served.decisions.remember("ml", "vip", "vip", preempts, controller::pack(preempts));
  EXPECT_FALSE(words().contains("gone")) << "it terminates";
  served.decisions.gone("low");
  EXPECT_EQ(words().at("gone"), true);
  EXPECT_EQ(words().at("evictedFor"), (json::value{{"namespace", "ml"}, {"name", "vip"}}));
}

// Its own decision was made by another process, or has expired.
TEST(Words, APodWithoutADecisionWasEvictedForAnother) {
  Served served;
  explain::ReportStatus preempts;
  preempts.outcome = explain::kUnschedulable;
  preempts.decided_at = served.clock.wall();
  preempts.preemption = explain::Preempted{"n1", {{"shop", "older"}}, 1};
  served.decisions.remember("ml", "vip", "vip", preempts, controller::pack(preempts));
  const auto reply = served.get("/v1/namespaces/shop/pods/older/report");
  EXPECT_EQ(reply.status, 404);
  const auto status = json::parse(reply.body);
  EXPECT_THAT(std::string(status.at("message").as_string()),
              testing::HasSubstr("; a pod of this name was to be evicted from n1 at "));
  const auto& causes = status.at("details").at("causes").as_array();
  ASSERT_EQ(causes.size(), 4u);
  EXPECT_EQ(causes[0].at("reason"), "NeverDecided");
  EXPECT_EQ(causes[1], (json::value{{"reason", "EvictedFor"}, {"message", "ml/vip"}}));
  EXPECT_EQ(causes[2],
            (json::value{{"reason", "EvictedAt"}, {"message", format_time(*preempts.decided_at)}}));
  EXPECT_EQ(causes[3], (json::value{{"reason", "EvictedFrom"}, {"message", "n1"}}));
}

TEST(Words, OfAWhatIf) {
  Served served;
  const auto pod = R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","image":"i",)"
                   R"("resources":{"requests":{"cpu":"9"}}}]}})";
  const auto answer = json::parse(served.post(kAsk + "report?words=true&fixes=true&nodes=n1", pod).body);
  const auto& said = answer.at("words");
  EXPECT_EQ(said.at("blockedBy"), "1 of 1 node does not have enough free cpu");
  EXPECT_EQ(said.at("rejections").at(0).at("missing"), "5 cpu short");
  const auto& verdict = said.at("verdicts").at(0);
  EXPECT_EQ(verdict.at("title"), "No: n1 rejects shop/what-if.");
  EXPECT_EQ(verdict.at("rejects").at(0), "cpu 9 of 4 free");
  EXPECT_EQ(said.at("capacity"),
            (json::value{{"more", "0"}, {"limit", "1 node does not have enough free cpu; 5 cpu short"}}));
  EXPECT_EQ(said.at("fixes").as_array().size(), answer.at("status").at("fixes").as_array().size());
  EXPECT_FALSE(answer.at("spec").as_object().contains("words"));
}

// "created; bound to n1" of the timeline.
std::string timeline_of(const json::value& report) {
  std::string out;
  for (const auto& moment : report.at("words").at("timeline").as_array()) {
    const auto* text = moment.as_object().if_contains("text");
    out += fmt::format("{}{}{}{}", out.empty() ? "" : "; ", std::string_view(moment.at("what").as_string()),
                       text ? " " : "", text ? std::string_view(text->as_string()) : "");
  }
  return out;
}

TEST(Words, TheTimelineBeginsWithTheCreationAndEndsWithTheEviction) {
  Served served;
  explain::ReportStatus status;
  status.outcome = explain::kScheduled;
  status.attempts = 2;
  status.choice.emplace().node = "n1";
  const auto began = served.clock.wall();
  status.decided_at = began + 4s;
  status.bind = 1s;
  status.gated = {{.since = began, .until = began + 2s, .by = {"gate a"}}};
  status.history = {{.at = began + 3s,
                     .outcome = explain::kUnschedulable,
                     .reason = "Insufficient cpu",
                     .nodes = 2,
                     .code = {}}};
  served.decisions.remember("shop", "low", "low", status, controller::pack(status), nullptr, began);
  const std::string kPath = "/v1/namespaces/shop/pods/low/report?words=true";
  const std::string until_bound =
      "created; gated by gate a; ungated; tried 2 nodes: Insufficient cpu; chose n1; bound to n1";
  EXPECT_EQ(timeline_of(json::parse(served.get(kPath).body)), until_bound);

  explain::ReportStatus preempts;
  preempts.outcome = explain::kUnschedulable;
  preempts.attempts = 1;
  preempts.decided_at = began + 9s;
  preempts.preemption = explain::Preempted{"n1", {{"shop", "low"}}, 1};
  served.decisions.remember("ml", "vip", "vip", preempts, controller::pack(preempts));
  preempts.decided_at = began + 19s;
  preempts.attempts = 2;
  served.decisions.remember("ml", "vip", "vip", preempts, controller::pack(preempts));
  served.clock.advance(30s);
  served.decisions.gone("low");
  EXPECT_EQ(timeline_of(json::parse(served.get(kPath).body)),
            until_bound + "; evicted to make room for ml/vip; gone");
  const auto vip = json::parse(served.get("/v1/namespaces/ml/pods/vip/report?words=true").body);
  const auto& nominated = vip.at("words").at("timeline").at(0);
  EXPECT_EQ(nominated.at("what"), "nominated");
  EXPECT_EQ(nominated.at("at"), json::value(format_time(began + 9s))) << "not of the attempt after it";
}

// Two questions with one seed choose the same one of equal nodes.
TEST(Questions, ASeedDrawsAlike) {
  Served served;
  served.nodes = 16;
  std::set<std::string> chosen;
  for (int seed = 0; seed < 6; ++seed) {
    const auto path = fmt::format("{}report?seed=0.{}", kAsk, seed);
    const auto choice = [&] {
      return json::serialize(json::parse(served.post(path).body).at("status").at("choice").at("nodeName"));
    };
    const auto first = choice();
    EXPECT_EQ(choice(), first);
    chosen.insert(first);
  }
  EXPECT_GT(chosen.size(), 2u) << "seeds differ";
}

TEST(Words, APodThatWaitsHasItsAsks) {
  Served served;
  explain::ReportStatus status;
  status.outcome = explain::kUnschedulable;
  explain::PodAsks asks;
  asks.created = served.clock.wall();
  asks.workload = {"Deployment", "big"};
  asks.requests = {{"cpu", "3"}, {"memory", "64Gi"}, {"nvidia.com/gpu", "2"}};
  asks.claims = {"device"};
  asks.selector = {{"disk", "ssd"}};
  served.decisions.remember("shop", "big", "uid", status, controller::pack(status),
                            std::make_shared<const explain::PodAsks>(asks));
  const auto line = json::parse(served.get("/v1/decisions?waiting=true&words=true").body).at("items").at(0);
  EXPECT_EQ(line.at("words").at("asks"), "2 nvidia.com/gpu, claim device, 3 cpu, 64Gi, disk=ssd");
  EXPECT_EQ(line.at("requests").at("nvidia.com/gpu"), "2");
  EXPECT_EQ(line.at("resourceClaims").at(0), "device");
  EXPECT_EQ(line.at("nodeSelector").at("disk"), "ssd");
  EXPECT_TRUE(line.as_object().contains("created"));
  EXPECT_EQ(line.at("workload"), json::parse(R"({"kind": "Deployment", "name": "big"})"));
}

}  // namespace
}  // namespace podium::app::report_api
