// WhatIfController answers each what-if once, in its status, and writes nothing else.
#include "controller/what_if/what_if_controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "base/time.h"
#include "controller/report/metadata.h"
#include "explain/question/question.h"
#include "unit/controller/what_if/asking_controller.h"

namespace podium::controller {
using namespace explain;
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using unit::kPlural;
using unit::Lines;
using unit::ObjectServer;

TEST(WhatIfController, AnswersInTheStatusAndWritesNothingElse) {
  Asking w;
  w.ask("ask", kFits);
  w.settle();
  EXPECT_EQ(w.status("ask").at("outcome"), "Fits");
  EXPECT_EQ(w.status("ask").at("choice").at("nodeName"), "n1");
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 1);
  EXPECT_EQ(w.accepted("ask"), "True Accepted: request is valid");
  EXPECT_EQ(w.writes(), (Lines{kPath + "ask", kPath + "ask/status"}));
  EXPECT_EQ(w.controller.answered(), 1u);
  EXPECT_EQ(w.retention.size(), 1u);
  EXPECT_EQ(w.report("ask").at("spec"), json::parse(kFits));
}

TEST(WhatIfController, CountsHowEachEnded) {
  Asking asking;
  asking.ask("fits", kFits);
  asking.ask("none", Asking::kAnyone);
  asking.settle();
  ASSERT_EQ(asking.ends.size(), 2u);
  std::ranges::sort(asking.ends, {}, &WhatIfEnd::result);
  EXPECT_EQ(asking.ends[0].result, "Fits");
  EXPECT_FALSE(asking.ends[0].refused);
  EXPECT_EQ(asking.ends[1].result, "Invalid");
  EXPECT_TRUE(asking.ends[1].refused);
  EXPECT_EQ(asking.controller.waiting(), 0u);
}

TEST(WhatIfController, RefusesAnInvalidRequestWithItsPath) {
  std::string deep = "1";
  for (int i = 0; i < 80; ++i) deep = R"({"a":)" + deep + "}";
  deep = R"({"dryRun":true,"template":)" + deep + "}";
  const auto large =
      fmt::format(R"({{"dryRun":true,"template":{{"metadata":{{"annotations":{{"a":"{}"}}}}}}}})",
                  std::string(explain::kTemplateBytes, 'x'));
  struct Case {
    const char *name, *spec, *starts;
  };
  const Case cases[] = {
      {"neither pod nor template", R"({"dryRun":true})", "False Invalid: spec"},
      {"a template that is not an object", R"({"dryRun":true,"template":3})", "False Invalid: spec.template"},
      {"no container", R"({"dryRun":true,"template":{"spec":{"containers":[]}}})",
       "False Invalid: spec.template.spec.containers"},
      {"a quantity that is none",
       R"({"dryRun":true,"template":{"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"lots"}}}]}}})",
       "False Invalid: spec.template.spec.containers[0].resources.requests"},
      {"no such profile",
       R"({"dryRun":true,"profile":"nobody","template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})",
       "False Invalid: spec.profile: unknown profile \"nobody\""},
      {"a field that is misspelt",
       R"({"dryRun":true,"template":{"spec":{"containers":[{"name":"c","image":"i","resuorces":{}}]}}})",
       "False Invalid: spec.template.spec.containers[0].resuorces: unknown field"},
      {"nested deeper than any pod", deep.c_str(),
       "False Invalid: spec.template: nested deeper than 64 levels"},
      {"too large", large.c_str(), "False Invalid: spec.template: larger than 64 KiB"},
      {"no such pod", R"({"dryRun":true,"podRef":{"name":"nobody"}})",
       "False Invalid: spec.podRef.name: pod nobody not found"},
      {"another pod of that name", R"({"dryRun":true,"podRef":{"name":"pending","uid":"u2"}})",
       "False Invalid: spec.podRef.uid: pod pending has another UID"},
      {"no such workload", R"({"dryRun":true,"workloadRef":{"kind":"Deployment","name":"nobody"}})",
       "False Invalid: spec.workloadRef.name: Deployment nobody not found"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Asking w;
    w.server.put("pods", json::parse(R"({"metadata":{"name":"pending","namespace":"shop","uid":"u1"},
                                         "spec":{"schedulerName":"else","containers":[{"name":"c","image":"i"}]}})"));
    w.ask("ask", c.spec);
    w.settle();
    EXPECT_TRUE(w.accepted("ask").starts_with(c.starts)) << w.accepted("ask");
    EXPECT_TRUE(w.condition("Complete", "ask").starts_with("True Refused: spec"));
    EXPECT_EQ(w.status("ask").at("outcome"), "Refused");
    EXPECT_TRUE(w.status("ask").as_object().contains("expiresAt")) << "it goes like any other";
    EXPECT_EQ(w.writes(), (Lines{kPath + "ask", kPath + "ask/status"}));
  }
}

TEST(WhatIfController, RefusesToKeepMoreThanTheBudgetTakes) {
  Asking w;
  w.retention.set(600s, {{1'000, 1u << 30}, {2, 1u << 30}});
  const std::string kept = R"({"dryRun":true,"ttlSeconds":0,)" + std::string(kFits.substr(15));
  for (const char* name : {"first", "second", "third"}) {
    w.ask(name, kept);
    w.settle();
  }
  EXPECT_EQ(w.accepted("first"), "True Accepted: request is valid");
  EXPECT_TRUE(w.accepted("second").starts_with("False Invalid: spec.ttlSeconds: too many what-ifs"));
  EXPECT_FALSE(w.status("first").as_object().contains("expiresAt"));
  EXPECT_TRUE(w.status("second").as_object().contains("expiresAt")) << "the refusal is not kept";
  w.ask("first", kept, 2);
  w.settle();
  EXPECT_EQ(w.accepted("first"), "True Accepted: request is valid") << "it is kept already";
}

TEST(WhatIfController, AsksAboutAPendingPodAsItIs) {
  Asking w;
  w.server.put("pods", json::parse(R"({"metadata":{"name":"pending","namespace":"shop"},
      "spec":{"schedulerName":"default-scheduler","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"64"}}}]}})"));
  w.ask("ask", R"({"dryRun":true,"podRef":{"name":"pending"}})");
  w.settle();
  EXPECT_EQ(w.status("ask").at("outcome"), "DoesNotFit");
  EXPECT_EQ(w.writes(), (Lines{kPath + "ask", kPath + "ask/status"}));
}

TEST(WhatIfController, AsksAboutAPlacedPodAndAWorkload) {
  Asking w;
  w.server.put("pods", json::parse(R"({"metadata":{"name":"placed","namespace":"shop","uid":"p"},
      "spec":{"nodeName":"n1","schedulerName":"default-scheduler","containers":[{"name":"c","image":"i"}]}})"));
  w.server.put("deployments", json::parse(R"({"metadata":{"name":"web","namespace":"shop"},
      "spec":{"replicas":9,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
      "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}}})"));
  w.ask("pod", R"({"dryRun":true,"podRef":{"name":"placed"}})");
  w.ask("workload", R"({"dryRun":true,"workloadRef":{"kind":"Deployment","name":"web"}})");
  w.settle();
  EXPECT_EQ(w.status("pod").at("outcome"), "Fits");
  EXPECT_EQ(w.status("workload").at("outcome"), "PartlyFits");
  EXPECT_EQ(w.status("workload").at("replicas"), json::parse(R"({"asked":9,"fitting":4})"));
}

TEST(WhatIfController, OnlyTheSchedulerThatIsNamedAnswers) {
  Asking w;
  w.ask(
      "ours",
      R"({"dryRun":true,"schedulerName":"default-scheduler","template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})");
  w.ask("theirs", R"({"dryRun":true,"schedulerName":"batch","template":{"spec":{"containers":[]}}})");
  w.settle();
  EXPECT_EQ(w.status("ours").at("outcome"), "Fits");
  EXPECT_TRUE(w.status("theirs").is_null());
  EXPECT_EQ(w.writes(), (Lines{kPath + "ours", kPath + "ours/status"}));
}

TEST(WhatIfController, ATtlOfZeroIsAsLongAsTheReportIsThere) {
  Asking w;
  w.ask("ask",
        R"({"dryRun":true,"ttlSeconds":0,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})");
  w.settle();
  EXPECT_EQ(w.status("ask").at("outcome"), "Fits");
  const auto* expires = w.status("ask").as_object().if_contains("expiresAt");
  EXPECT_TRUE(!expires || expires->is_null());
}

TEST(WhatIfController, AnswersOnceForEachGeneration) {
  Asking w;
  w.ask("ask", kFits);
  w.settle();
  auto labelled = w.report("ask");
  labelled.at("metadata").as_object()["labels"] = {{"a", "b"}};
  w.server.put(kPlural, labelled);
  w.settle();
  EXPECT_EQ(w.controller.answered(), 1u) << "what changed is not the question";
  w.ask("ask", R"({"dryRun":true,"replicas":99,"template":{"spec":{"containers":[
                   {"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}})",
        2);
  w.settle();
  EXPECT_EQ(w.controller.answered(), 2u);
  EXPECT_EQ(w.status("ask").at("outcome"), "PartlyFits");
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 2);
  EXPECT_EQ(w.writes().size(), 4u) << "the labels and the status of each";
}

TEST(WhatIfController, OfTheQuestionsThatWaitOnlyTheLastIsAnswered) {
  Asking w;
  for (int generation = 1; generation <= 3; ++generation) w.ask("ask", kFits, generation);
  w.settle();
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 3);
  EXPECT_EQ(w.writes(), (Lines{kPath + "ask", kPath + "ask/status"}));
}

TEST(WhatIfController, AnswersThatAreThereAtTheStartAreNotGivenAgain) {
  Asking w;
  w.server.put(kPlural, json::parse(R"({"metadata":{"name":"old","namespace":"shop","generation":4},
                                        "spec":{"dryRun":true},"status":{"observedGeneration":4,"outcome":"Fits"}})"));
  w.settle();
  EXPECT_EQ(w.writes(), Lines());
}

TEST(WhatIfController, ItsLabelsAreThoseOfItsAnswer) {
  Asking w;
  w.ask("ask", kFits);
  w.ask("kept", R"({"dryRun":true,"ttlSeconds":0,"podRef":{"name":"nobody"}})");
  w.settle();
  const auto expires = w.clock.wall() + w.settings.podium.reports.ttl;
  EXPECT_EQ(w.labels("ask"), (json::object{{"podium.dev/report", "question"},
                                           {"podium.dev/outcome", "Fits"},
                                           {"podium.dev/expires", expiry_minute(expires)}}));
  EXPECT_EQ(w.labels("kept"), (json::object{{"podium.dev/report", "question"},
                                            {"podium.dev/outcome", "Refused"},
                                            {"podium.dev/expires", expiry_minute(expires)}}))
      << "a refusal is not kept";
  w.ask("kept", R"({"dryRun":true,"ttlSeconds":0,)" + std::string(kFits.substr(15)), 2);
  w.settle();
  EXPECT_EQ(w.labels("kept"),
            (json::object{{"podium.dev/report", "question"}, {"podium.dev/outcome", "Fits"}}));
}

TEST(WhatIfController, LabelsOfItsAuthorStayAndRightOnesTakeNoRequest) {
  Asking w;
  w.server.put(kPlural, json::parse(fmt::format(
                            R"({{"metadata":{{"name":"ask","namespace":"shop","generation":1,"labels":{{
                                 "a":"b","podium.dev/report":"question","podium.dev/outcome":"Fits",
                                 "podium.dev/expires":"{}"}}}},"spec":{}}})",
                            expiry_minute(w.clock.wall() + w.settings.podium.reports.ttl + 1h), kFits)));
  w.settle();
  EXPECT_EQ(w.writes(), Lines{kPath + "ask/status"}) << "the label of the expiry may lag by a tenth";
  EXPECT_EQ(w.labels("ask").at("a"), "b");
  w.ask("ask", R"({"dryRun":true,"podRef":{"name":"nobody"}})", 2);
  w.settle();
  EXPECT_EQ(w.labels("ask").at("a"), "b");
  EXPECT_EQ(w.labels("ask").at("podium.dev/outcome"), "Refused");
}

TEST(WhatIfController, WithoutTheRightToLabelItIsAnsweredAllTheSame) {
  struct Case {
    int code;
    int retries;  // until labels are taken
  };
  for (const auto& [code, retries] : {Case{403, 0}, Case{422, 0}, Case{500, 1}, Case{429, 1}}) {
    SCOPED_TRACE(code);
    Asking w;
    int refused = 0;
    w.server.on_request =
        [&, code = code](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      if (request.method != "PATCH" || !request.target.starts_with(kPath.substr(6) + "ask?"))
        return std::nullopt;
      if (refused > 0) return std::nullopt;
      ++refused;
      return client::Response{code, fmt::format(R"({{"kind":"Status","code":{},"message":"no"}})", code)};
    };
    w.ask("ask", kFits);
    w.settle();
    EXPECT_EQ(w.accepted("ask"), "True Accepted: request is valid");
    w.wait_for_backoffs();
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(w.labels("ask").empty(), retries == 0);
    EXPECT_TRUE(w.status("ask").is_object());
  }
}

// Refuses the labels and the status of one answer, each with a time to wait, and asks again after 2 s.
void expect_waits_for_the_longer(const client::Response& of_labels, const client::Response& of_status) {
  Asking w;
  int refused = 0;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "PATCH") return std::nullopt;
    ++refused;
    return request.target.find("/status") == std::string::npos ? of_labels : of_status;
  };
  w.ask("ask", kFits);
  w.settle();
  ASSERT_EQ(refused, 2);
  w.clock.advance(2s);
  w.ask("another", kFits);
  w.settle();
  EXPECT_EQ(refused, 2) << "the longer time counts";
  w.server.on_request = nullptr;
  w.wait_for_backoffs();
  EXPECT_EQ(w.status("ask").at("outcome"), "Fits");
}

// Labels and status are sent again together.
TEST(WhatIfController, TheLongestTimeThatIsAskedForCounts) {
  expect_waits_for_the_longer({503, R"({"kind":"Status","code":503,"reason":"ServiceUnavailable"})", 3},
                              {429, R"({"kind":"Status","code":429,"reason":"TooManyRequests"})", 1});
}

// A proxy may ask for any number of seconds in a header.
TEST(WhatIfController, ATimeOfYearsThatIsAskedForIsBounded) {
  for (const int seconds : {3'000'000, std::numeric_limits<int>::max()}) {
    SCOPED_TRACE(seconds);
    expect_waits_for_the_longer({503, R"({"kind":"Status","code":503})", seconds},
                                {503, R"({"kind":"Status","code":503})", 1});
  }
}

TEST(WhatIfController, AConditionKeepsTheTimeOfItsTransition) {
  Asking w;
  const auto since = [&](const char* type) { return w.condition_time(type, "ask"); };
  w.ask("ask", kFits);
  w.settle();
  const auto first = format_time(w.clock.wall());
  EXPECT_EQ(since("Accepted"), first);
  w.clock.advance(1h);
  w.ask("ask", R"({"dryRun":true,"replicas":9,)" + std::string(kFits.substr(15)), 2);
  w.settle();
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 2);
  EXPECT_EQ(since("Accepted"), first) << "it is True as before";
  EXPECT_EQ(since("Complete"), first);
  w.clock.advance(1h);
  const auto third = format_time(w.clock.wall());
  w.ask("ask", Asking::kAnyone, 3);
  w.settle();
  EXPECT_EQ(since("Accepted"), third) << "it is False now";
  EXPECT_EQ(since("Complete"), first);
  EXPECT_EQ(w.status("ask").at("decidedAt"), json::string(third));
}

}  // namespace
}  // namespace podium::controller
