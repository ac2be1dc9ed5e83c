// WhatIfController with many questions, and with writes that fail: turns, bounds, and nobody in the way.
#include "controller/what_if/what_if_controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controller/what_if/asker.h"
#include "unit/controller/what_if/asking_controller.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;
using unit::default_config;
using unit::kPlural;
using unit::Lines;
using unit::ObjectServer;
using unit::ServedApi;

std::string replicas(int count, std::size_t annotation = 0) {
  return fmt::format(R"({{"dryRun":true,"replicas":{},"template":{{"metadata":{{"annotations":{{"a":"{}"}}}},
      "spec":{{"containers":[{{"name":"c","image":"i","resources":{{"requests":{{"cpu":"1"}}}}}}]}}}}}})",
                     count, std::string(annotation, 'x'));
}

// All arrive in one watch batch, whose memory is freed before they are answered.
TEST(WhatIfController, EachOfManyQuestionsHasItsOwnAnswer) {
  constexpr int kQuestions = 240;
  Asking w;
  for (int i = 0; i < kQuestions; ++i) {
    const auto name = fmt::format("ask-{}", i);
    if (i % 2 == 0) {
      w.ask(name, replicas(i % 6 + 1, i % 8 == 0 ? 60'000 : 0));
    } else {
      w.ask(name, fmt::format(R"({{"dryRun":true,"profile":"profile-{}","template":{{"spec":
                                   {{"containers":[{{"name":"c","image":"i"}}]}}}}}})",
                              i));
    }
  }
  w.settle();
  for (int i = 0; i < kQuestions; ++i) {
    const auto name = fmt::format("ask-{}", i);
    SCOPED_TRACE(name);
    if (i % 2 == 1) {
      EXPECT_EQ(
          w.accepted(name),
          fmt::format(
              "False Invalid: spec.profile: unknown profile \"profile-{}\" (known: default-scheduler)", i));
    } else {
      const int count = i % 6 + 1;
      EXPECT_EQ(w.status(name).at("outcome"), count <= 4 ? "Fits" : "PartlyFits");
      if (count > 1) {
        EXPECT_EQ(w.status(name).at("replicas").at("fitting").to_number<int>(), std::min(count, 4));
      }
    }
  }
  EXPECT_EQ(w.controller.answered(), std::uint64_t{kQuestions});
  EXPECT_EQ(w.writes().size(), std::size_t{2 * kQuestions}) << "its labels and its status";
}

TEST(WhatIfController, TurnsGoRoundByNamespace) {
  Asking w;
  for (int i = 0; i < 100; ++i) w.ask(fmt::format("ask-{}", i), kFits, 1, "a-flood");
  for (int i = 0; i < 3; ++i) w.ask(fmt::format("ask-{}", i), kFits);
  w.settle();
  EXPECT_TRUE(w.all_answered());
  const auto writes = w.writes();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (writes[i].starts_with(kPath) && writes[i].ends_with("/status")) places.push_back(i / 2);
  }
  EXPECT_EQ(places, (std::vector<std::size_t>{1, 3, 5})) << "one of the other namespace before each";
}

// What the HTTPS API asks waits in the same turns: neither face goes before the other, and one namespace
// that asks by both has one share.
TEST(WhatIfController, BothFacesShareTheTurnsOfANamespace) {
  Asking w;
  std::vector<std::string> order;  // namespaces
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method == "PATCH" && request.target.find("/status") != std::string::npos)
      order.emplace_back(request.target.find("/a-flood/") != std::string::npos ? "a-flood" : "shop");
    return std::nullopt;
  };
  const auto ask_by_https = [&](const std::string& ns) {
    const std::function<int()> work = [&order, &w, ns] {
      const auto began = w.clock.cpu_time();
      while (w.clock.cpu_time() - began < std::chrono::milliseconds(2)) {
      }
      order.push_back(ns);
      return 0;
    };
    boost::asio::co_spawn(w.io, w.controller.asker().run<int>(ns, work, Steady::max()),
                          boost::asio::detached);
  };
  for (int i = 0; i < 30; ++i) w.ask(fmt::format("ask-{}", i), replicas(50), 1, "a-flood");
  for (int i = 0; i < 30; ++i) ask_by_https("a-flood");
  for (int i = 0; i < 3; ++i) w.ask(fmt::format("ask-{}", i), kFits);
  for (int i = 0; i < 3; ++i) ask_by_https("shop");
  w.settle();
  EXPECT_TRUE(w.all_answered());
  ASSERT_EQ(order.size(), 66u);
  const auto last = std::ranges::find(order.rbegin(), order.rend(), "shop").base() - order.begin();
  EXPECT_LT(last, 20) << fmt::format("{}", fmt::join(order, " "));
}

TEST(WhatIfController, AFullQueueRefusesImmediately) {
  Asking w({.max_waiting_per_namespace = 2});
  for (int i = 0; i < 20; ++i) w.ask(fmt::format("ask-{}", i), kFits, 1, "a-flood");
  w.ask("ask", kFits);
  w.settle();
  EXPECT_TRUE(w.all_answered());
  EXPECT_EQ(w.accepted("ask"), "True Accepted: request is valid");
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    const auto name = fmt::format("ask-{}", i);
    if (!w.accepted(name, "a-flood").starts_with("False TooManyQuestions: too many what-ifs")) continue;
    ++refused;
    EXPECT_TRUE(w.condition("Complete", name, "a-flood").starts_with("True Refused: "));
    w.ask(name, replicas(2), 2, "a-flood");
    w.settle();
    EXPECT_EQ(w.accepted(name, "a-flood"), "True Accepted: request is valid") << "asked again";
  }
  EXPECT_GE(refused, 10);
}

TEST(WhatIfController, WhereEvenTheRefusalsAreTooManyTheRestIsListed) {
  Asking w({.max_waiting = 2, .max_waiting_per_namespace = 1});
  for (int i = 0; i < 120; ++i) w.ask(fmt::format("ask-{}", i), kFits, 1, "a-flood");
  w.settle();
  while (!w.all_answered()) w.io.run_one();
  const auto asked = w.server.requests("GET");
  EXPECT_GE(std::ranges::count(asked, "GET /apis/podium.dev/v1alpha1/schedulingreports"), 6) << "in pages";
  EXPECT_GE(w.controller.answered(), 120u);
}

// --- what fails ---

struct Failure {
  const char* name;
  const char* method;
  ObjectServer::Reply reply;
};

ObjectServer::Reply reply(int code) {
  return client::Response{code, fmt::format(R"({{"kind":"Status","code":{},"message":"no"}})", code)};
}

TEST(WhatIfController, WhatFailsIsTriedAgainAndDelaysNoOther) {
  const Failure failures[] = {
      {"a policy", "PATCH", reply(403)},
      {"a webhook", "PATCH", reply(500)},
      {"a conflict", "PATCH", reply(409)},
      {"too busy", "PATCH", reply(429)},
      {"an answer that is not taken", "PATCH", reply(422)},
      {"no connection", "PATCH", fail(Error::Kind::unavailable, "refused")},
      {"a time-out", "PATCH", fail(Error::Kind::timeout, "no reply")},
      {"a report that cannot be read", "GET", reply(500)},
      {"a proxy", "GET", client::Response{404, "no route"}},
      {"not a report", "GET", client::Response{200, "[]"}},
  };
  for (const auto& failure : failures) {
    SCOPED_TRACE(failure.name);
    Asking w;
    int left = 3;
    w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
      if (request.method != failure.method || request.target.find("/namespaces/bad/") == std::string::npos) {
        return std::nullopt;
      }
      if (left == 0) return std::nullopt;
      --left;
      return failure.reply;
    };
    for (int i = 0; i < 3; ++i) w.ask(fmt::format("ask-{}", i), kFits, 1, "bad");
    for (int i = 0; i < 20; ++i) w.ask(fmt::format("ask-{}", i), kFits);
    w.settle();
    for (int i = 0; i < 10 && !w.all_answered(); ++i) {
      if (failure.reply && failure.reply->status != 429) {
        EXPECT_EQ(w.status("ask-19").is_object(), true) << "the other namespace has its answers";
      }
      w.wait_for_backoffs();
    }
    EXPECT_TRUE(w.all_answered());
    EXPECT_EQ(left, 0);
  }
}

TEST(WhatIfController, AQuestionThatIsGoneIsNotTriedAgain) {
  Asking w;
  bool gone = false;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "PATCH" || gone) return std::nullopt;
    gone = true;
    w.server.erase(kPlural, "shop", "ask");
    return std::nullopt;
  };
  w.ask("ask", kFits);
  w.settle();
  const auto tries = w.writes().size();
  for (int i = 0; i < 3; ++i) w.wait_for_backoffs();
  EXPECT_EQ(tries, 2u);
  const auto writes = w.writes();
  EXPECT_EQ(std::ranges::count(writes, kPath + "ask/status"), 1);
  EXPECT_EQ(w.server.find(kPlural, "shop", "ask"), json::value());
}

// --- what others write into the status ---

TEST(WhatIfController, OnlyItsOwnGenerationAnswersAQuestion) {
  for (const std::string forged : {"9223372036854775807", "-1", "0", "18446744073709551615", "\"1\"", "{}"}) {
    SCOPED_TRACE(forged);
    Asking w;
    w.server.put(kPlural, json::parse(fmt::format(
                              R"({{"metadata":{{"name":"ask","namespace":"shop","generation":1}},"spec":{},
                                   "status":{{"observedGeneration":{},"conditions":"none"}}}})",
                              kFits, forged)));
    w.settle();
    EXPECT_EQ(w.accepted("ask"), "True Accepted: request is valid");
    EXPECT_EQ(w.status("ask").at("observedGeneration"), 1);
    EXPECT_EQ(w.controller.answered(), 1u);
  }
}

// --- time ---

TEST(WhatIfController, AQuestionHasADeadlineOfCpuTime) {
  Asking w({.deadline = 0ns});
  w.ask("ask", kFits);
  w.settle();
  EXPECT_EQ(w.accepted("ask"), "False DeadlineExceeded: the deadline passed before a replica was placed");
  EXPECT_TRUE(w.condition("Complete", "ask").starts_with("True Refused: "));
}

TEST(WhatIfController, WhatIsBeingEvaluatedAtTheStopIsNotWritten) {
  ServedApi served;
  served.server.serve_watches(kPlural);
  async::Gate gate;
  Retention retention(served.api, {}, gate, served.io.get_executor());
  WhatIfController* controller = nullptr;
  const auto stop_in_between = [&] {
    controller->stop();
    gate.close();
    return one_node();
  };
  WhatIfController stopping(served.api, retention, default_config(), gate, served.io.get_executor(),
                            served.io.get_executor(), stop_in_between);
  controller = &stopping;
  async::spawn(gate, served.io.get_executor(), "what-ifs", stopping.run());
  served.server.put(kPlural, json::parse(fmt::format(
                                 R"({{"metadata":{{"name":"ask","namespace":"shop"}},"spec":{}}})", kFits)));
  served.io.run();
  EXPECT_EQ(gate.inside(), 0u);
  EXPECT_EQ(served.server.requests("PATCH"), Lines());
}

}  // namespace
}  // namespace podium::controller
