// What-ifs that are deleted, replaced by another one of their name, or edited while they are answered.
#include "controller/what_if/what_if_controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <utility>

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

TEST(WhatIfController, AQuestionThatIsTakenBackIsNotAnswered) {
  Asking w;
  w.settle();
  w.ask("ask", kFits);
  w.server.erase(kPlural, "shop", "ask");
  w.settle();
  EXPECT_EQ(w.controller.answered(), 0u);
  EXPECT_EQ(w.server.all(kPlural).size(), 0u);
  EXPECT_EQ(w.retention.size(), 0u);
}

TEST(WhatIfController, AnAnswerIsNotGivenToAnotherOfItsName) {
  Asking w;
  bool swapped = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "PATCH" || swapped) return std::nullopt;
    swapped = true;  // just before the answer arrives
    w.server.erase(kPlural, "shop", "ask");
    w.ask("ask", R"({"dryRun":true})");
    return std::nullopt;
  };
  w.ask("ask", kFits);
  w.settle();
  EXPECT_TRUE(swapped);
  EXPECT_EQ(w.controller.answered(), 1u);
  EXPECT_TRUE(w.accepted("ask").starts_with("False Invalid: spec")) << w.accepted("ask");
}

// The watch is late: it shows the deletion only after the next what-if of this name is answered.
TEST(WhatIfController, ADeletionIsOfItsOwnReportOnly) {
  Asking w;
  w.ask("ask", kFits);
  w.settle();
  ASSERT_EQ(w.retention.size(ReportKind::question), 1u);
  w.retention.track("shop", "ask", "uid-of-the-next", 100s, ReportKind::question);
  w.server.erase(kPlural, "shop", "ask");
  w.settle();
  EXPECT_EQ(w.retention.size(ReportKind::question), 1u);
}

TEST(WhatIfController, AnAnswerIsOfItsOwnReportOnly) {
  Asking w;
  bool swapped = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (swapped || request.method != "PATCH" || request.target.find("/status") == std::string::npos)
      return std::nullopt;
    swapped = true;
    w.server.erase(kPlural, "shop", "ask");
    w.ask("ask", R"({"dryRun":true,"podRef":{"name":"nobody"}})");
    return std::nullopt;
  };
  w.ask("ask", kFits);
  w.settle();
  w.wait_for_backoffs();
  EXPECT_TRUE(swapped);
  EXPECT_EQ(w.status("ask").at("outcome"), "Refused") << "that of the next one";
}

// The watch shows only the next what-if of this name, as a list after a silence does.
TEST(WhatIfController, AnAnswerThatWaitsMakesWayForTheNextOfItsName) {
  Asking w;
  bool refused = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    const bool answers = request.method == "PATCH" && request.target.find("/status") != std::string::npos;
    if (!answers || std::exchange(refused, true)) return std::nullopt;
    return client::Response{500, "{}"};
  };
  w.ask("ask", kFits);
  w.settle();
  ASSERT_TRUE(refused);
  auto next = w.server.find(kPlural, "shop", "ask");
  next.at("metadata").as_object()["uid"] = "uid-of-the-next";
  next.as_object()["spec"] = json::parse(R"({"dryRun":true,"podRef":{"name":"nobody"}})");
  w.server.put(kPlural, next);
  w.settle();
  w.wait_for_backoffs();
  EXPECT_EQ(w.status("ask").at("outcome"), "Refused") << "that of the next one";
  EXPECT_EQ(w.controller.answered(), 2u) << "with the one that was asked in the meantime";
}

// Its patch would be refused (422), or find nothing (404).
TEST(WhatIfController, AnAnswerThatWaitsIsNotSentWhenItsReportIsGone) {
  for (const bool recreated : {false, true}) {
    SCOPED_TRACE(recreated);
    Asking w;
    int sent = 0;
    w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      const bool answers =
          request.method == "PATCH" && request.target.find("/ask/status") != std::string::npos;
      if (!answers || ++sent > 1) return std::nullopt;
      return client::Response{500, "{}"};
    };
    w.ask("ask", kFits);
    w.settle();
    ASSERT_EQ(sent, 1);
    w.server.erase(kPlural, "shop", "ask");
    if (recreated) {
      w.server.put(kPlural, json::parse(R"({"metadata":{"name":"ask","namespace":"shop","generation":1,
                                            "uid":"uid-of-the-next"},
                                            "spec":{"dryRun":true,"podRef":{"name":"nobody"}}})"));
    }
    w.settle();
    w.wait_for_backoffs();
    EXPECT_EQ(sent, recreated ? 2 : 1);
    if (recreated) {
      EXPECT_EQ(w.status("ask").at("outcome"), "Refused") << "that of the next one";
    }
  }
}

// The question is read while the watch is behind, and is that of the next one. Its answer takes effect,
// and the reply is lost. Without another try, nobody would know that it is there and when it expires.
TEST(WhatIfController, ADeletionDoesNotDropTheAnswerToTheNextOfItsName) {
  Asking w;
  bool swapped = false, lost = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    const bool reads = request.method == "GET" && request.target.ends_with("/ask");
    if (reads && !std::exchange(swapped, true)) {
      auto next = w.server.find(kPlural, "shop", "ask");
      next.at("metadata").as_object()["uid"] = "uid-of-the-next";
      return client::Response{200, json::serialize(next)};
    }
    const bool answers = request.method == "PATCH" && request.target.find("/status") != std::string::npos;
    if (!answers || std::exchange(lost, true)) return std::nullopt;
    auto next = w.server.find(kPlural, "shop", "ask");
    w.server.erase(kPlural, "shop", "ask");
    next.at("metadata").as_object()["uid"] = "uid-of-the-next";
    next.as_object()["status"] = json::parse(request.body).as_array().back().at("value");
    w.server.put(kPlural, next);
    return client::Response{504, "{}"};
  };
  w.ask("ask", kFits);
  w.settle();
  ASSERT_TRUE(lost);
  EXPECT_EQ(w.retention.size(), 0u);
  w.wait_for_backoffs();
  EXPECT_EQ(w.retention.size(), 2u) << "this one, and the one that was asked in the meantime";
}

// The first try was carried out, and its reply was lost. The watch has shown the edit in the meantime.
TEST(WhatIfController, AnEditWhileTheAnswerIsTriedAgainIsAnswered) {
  Asking w;
  int tries = 0;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "PATCH" || request.target.find("/ask") == std::string::npos) return std::nullopt;
    if (request.target.find("/status") == std::string::npos || ++tries != 1) return std::nullopt;
    auto stored = w.server.find(kPlural, "shop", "ask");
    stored.as_object()["status"] = json::parse(request.body).as_array().back().at("value");
    w.server.put(kPlural, stored);
    return client::Response{504, "{}"};
  };
  w.ask("ask", kFits);
  w.settle();
  ASSERT_EQ(tries, 1);
  w.ask("ask", R"({"dryRun":true,"podRef":{"name":"nobody"}})", 2);
  w.settle();
  w.wait_for_backoffs();
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 2);
  EXPECT_EQ(w.status("ask").at("outcome"), "Refused");
}

TEST(WhatIfController, AnAnswerThatIsRefusedMakesWayForAnEdit) {
  Asking w;
  bool edited = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    const bool answers = request.method == "PATCH" && request.target.find("/status") != std::string::npos;
    if (!answers || std::exchange(edited, true)) return std::nullopt;
    w.ask("ask", R"({"dryRun":true,"podRef":{"name":"nobody"}})", 2);
    return client::Response{422, "{}"};
  };
  w.ask("ask", kFits);
  w.settle();
  w.wait_for_backoffs();
  ASSERT_TRUE(edited);
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 2);
}

// --- labels that take effect late, or not ---

bool labels_ask(const client::Request& request) {
  return request.method == "PATCH" && request.target.starts_with(kPath.substr(6) + "ask?");
}

TEST(WhatIfController, LabelsOfAnOldAnswerThatTakeEffectLateAreRefused) {
  for (const bool status_is_lost : {false, true}) {
    SCOPED_TRACE(status_is_lost);
    Asking w;
    int lost = 0;
    w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      const bool is_status = request.target.find("/ask/status") != std::string::npos;
      const bool loses = labels_ask(request) ? lost == 0 : is_status && status_is_lost && lost == 1;
      if (!loses) return std::nullopt;
      ++lost;
      return fail(Error::Kind::timeout, "no reply");
    };
    w.ask("ask", kFits);
    w.settle();
    ASSERT_EQ(lost, status_is_lost ? 2 : 1);
    w.ask("ask", Asking::kAnyone, 2);
    w.settle();
    w.wait_for_backoffs();
    const auto answered = w.report("ask");
    ASSERT_EQ(w.status("ask").at("observedGeneration"), 2);
    ASSERT_EQ(w.labels("ask").at("podium.dev/outcome"), "Refused");
    int late = 0;
    const auto sent = w.server.transport->requests();
    for (const auto& request : std::views::reverse(sent)) {
      if (!labels_ask(request)) continue;
      ++late;
      EXPECT_EQ(w.server.transport->on_send(request)->status, 409);
    }
    EXPECT_GE(late, 2) << "those of both answers";
    EXPECT_EQ(w.labels("ask").at("podium.dev/outcome"), "Refused");
    EXPECT_EQ(w.report("ask"), answered);
  }
}

// The requests for this what-if since the last call.
Lines requests_for_ask(const Asking& w, std::size_t& seen) {
  Lines out;
  for (const auto& line : w.server.requests()) {
    if (line.ends_with("/ask") || line.ends_with("/ask/status"))
      out.push_back(line.substr(0, line.find(' ')));
  }
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(std::exchange(seen, out.size())));
  return out;
}

// Once it is written, it is read again, since the watch has shown its labels before its status.
TEST(WhatIfController, AnAnswerTakesTwoReadsAndTwoWrites) {
  Asking w;
  std::size_t seen = 0;
  w.ask("ask", kFits);
  w.settle();
  EXPECT_EQ(requests_for_ask(w, seen), (Lines{"GET", "PATCH", "PATCH", "GET"}));
  w.ask("ask", Asking::kAnyone, 2);
  w.settle();
  w.wait_for_backoffs();
  EXPECT_EQ(requests_for_ask(w, seen), (Lines{"GET", "PATCH", "PATCH", "GET"}));
}

TEST(WhatIfController, LabelsFollowIfTheReportChangesWhileItIsAnswered) {
  Asking w;
  bool changed = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (!labels_ask(request) || std::exchange(changed, true)) return std::nullopt;
    auto stored = w.report("ask");
    stored.at("metadata").as_object()["labels"] = {{"a", "b"}};
    w.server.put(kPlural, stored);
    return std::nullopt;
  };
  std::size_t seen = 0;
  w.ask("ask", kFits);
  w.settle();
  ASSERT_TRUE(changed);
  EXPECT_EQ(w.status("ask").at("outcome"), "Fits");
  EXPECT_EQ(w.labels("ask").at("a"), "b");
  EXPECT_EQ(w.labels("ask").at("podium.dev/outcome"), "Fits");
  auto sent = requests_for_ask(w, seen);
  std::erase(sent, "GET");
  EXPECT_EQ(sent, Lines(3, "PATCH")) << "the labels, the status, the labels again";
}

// An edit that arrives before the labels: they would be of the old spec.
TEST(WhatIfController, LabelsOfASpecThatWasEditedAreNotSentAgain) {
  Asking w;
  bool edited = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (labels_ask(request) && !std::exchange(edited, true)) w.ask("ask", Asking::kAnyone, 2);
    return std::nullopt;
  };
  std::size_t seen = 0;
  w.ask("ask", kFits);
  w.settle();
  ASSERT_TRUE(edited);
  EXPECT_EQ(w.labels("ask").at("podium.dev/outcome"), "Refused");
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 2);
  EXPECT_EQ(requests_for_ask(w, seen), (Lines{"GET", "PATCH", "PATCH", "GET", "PATCH", "PATCH", "GET"}));
}

// --- a status that takes effect late, or whose reply is lost ---

bool answers_ask(const client::Request& request) {
  return request.method == "PATCH" && request.target.find("/ask/status") != std::string::npos;
}

TEST(WhatIfController, AStatusThatTakesEffectLateIsRefused) {
  Asking w;
  w.ask("ask", kFits);
  w.settle();
  w.ask("ask", Asking::kAnyone, 2);
  w.settle();
  w.wait_for_backoffs();
  const auto answered = w.report("ask");
  ASSERT_EQ(w.status("ask").at("observedGeneration"), 2);
  int late = 0;
  const auto sent = w.server.transport->requests();
  for (const auto& request : sent) {
    if (!answers_ask(request)) continue;
    ++late;
    EXPECT_EQ(w.server.transport->on_send(request)->status, 422);
  }
  EXPECT_EQ(late, 2) << "those of both answers";
  EXPECT_EQ(w.report("ask"), answered);
}

// The next try is refused, since it is for the status before. It is not taken for an answer that is refused.
TEST(WhatIfController, AnAnswerWhoseReplyIsLostIsWritten) {
  for (const bool labels_are_lost : {false, true}) {
    SCOPED_TRACE(labels_are_lost);
    Asking w;
    int lost = 0;
    w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      if (labels_are_lost && labels_ask(request) && lost == 0) return fail(Error::Kind::timeout, "no reply");
      if (!answers_ask(request) || std::exchange(lost, 1) != 0) return std::nullopt;
      EXPECT_EQ(w.server.transport->on_send(request)->status, 200);
      return fail(Error::Kind::timeout, "no reply");
    };
    w.ask("ask", kFits);
    w.settle();
    ASSERT_EQ(lost, 1);
    EXPECT_EQ(w.controller.answered(), 0u);
    const auto written = w.status("ask");
    ASSERT_EQ(written.at("outcome"), "Fits");
    w.wait_for_backoffs();
    EXPECT_EQ(w.status("ask"), written);
    EXPECT_EQ(w.labels("ask").at("podium.dev/outcome"), "Fits");
    EXPECT_EQ(w.controller.answered(), 2u) << "with the one that was asked in the meantime";
    EXPECT_EQ(w.retention.size(ReportKind::question), 2u);
    EXPECT_TRUE(std::ranges::any_of(w.ends, [](const WhatIfEnd& end) { return end.result == "Fits"; }));
  }
}

// The watch shows the labels of an answer before its status. If the queue of questions is full then, the
// report is refused that has its answer by now.
TEST(WhatIfController, AFullQueueRefusesNoneThatHasAnAnswer) {
  Asking w({.max_waiting_per_namespace = 1});
  bool is_full = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (!answers_ask(request) || std::exchange(is_full, true)) return std::nullopt;
    for (int i = 0; i < 20; ++i) w.ask(fmt::format("other-{}", i), kFits);
    return std::nullopt;
  };
  w.ask("ask", kFits);
  w.settle();
  w.wait_for_backoffs();
  ASSERT_TRUE(is_full);
  EXPECT_TRUE(w.all_answered());
  EXPECT_EQ(w.accepted("ask"), "True Accepted: request is valid");
  EXPECT_EQ(w.labels("ask").at("podium.dev/outcome"), "Fits");
}

// As by a leader before, whose request arrived late.
TEST(WhatIfController, AnAnswerReplacesAStatusThatIsWrittenAfterTheQuestionIsRead) {
  Asking w;
  bool changed = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (!answers_ask(request) || std::exchange(changed, true)) return std::nullopt;
    auto stored = w.report("ask");
    stored.as_object()["status"] = {{"decidedAt", "2026-01-01T00:00:00Z"}, {"observedGeneration", 0}};
    w.server.put(kPlural, stored);
    return std::nullopt;
  };
  w.ask("ask", kFits);
  w.settle();
  ASSERT_TRUE(changed);
  w.wait_for_backoffs();
  EXPECT_EQ(w.status("ask").at("outcome"), "Fits");
  EXPECT_EQ(w.accepted("ask"), "True Accepted: request is valid");
}

}  // namespace
}  // namespace podium::controller
