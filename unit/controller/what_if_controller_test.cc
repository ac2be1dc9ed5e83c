// Questions on an API server get one answer each, in their status, and nothing else is written.
#include "controller/what_if_controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <string>
#include <vector>

#include "unit/controller/served_api.h"
#include "unit/support/builders.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using test::node;
using unit::default_config;
using unit::kPlural;
using unit::Lines;
using unit::ObjectServer;
using unit::ServedApi;

const std::string kPath = "PATCH /apis/podium.dev/v1alpha1/namespaces/shop/schedulingreports/";

client::Task<cluster::Snapshot> one_node() {
  cluster::Snapshot made;
  made.set_node(node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  co_return made;
}

struct Asking : ServedApi {
  Asking() {
    server.serve_watches(kPlural);
    asio::co_spawn(io, controller.run(), asio::detached);
  }
  ~Asking() {
    controller.stop();
    io.run();
  }
  void ask(const std::string& name, std::string_view spec, int generation = 1) {
    auto question = report(name);
    if (question.is_null()) question = {{"metadata", {{"name", name}, {"namespace", "shop"}}}};
    question.at("metadata").as_object()["generation"] = generation;
    question.as_object()["spec"] = json::parse(spec);
    server.put(kPlural, std::move(question));
  }
  void settle() {
    while (io.poll_one() > 0) {
    }
  }
  json::value status(const std::string& name) const {
    const auto asked = report(name);
    const auto* found = asked.is_object() ? asked.get_object().if_contains("status") : nullptr;
    return found ? *found : json::value();
  }
  std::string accepted(const std::string& name) const {
    const auto now = status(name);
    if (now.is_null()) return "no answer";
    for (const auto& c : now.at("conditions").as_array()) {
      if (c.at("type") != "Accepted") continue;
      return fmt::format("{}: {}", ObjectServer::text(c, "/status"), ObjectServer::text(c, "/message"));
    }
    return "no condition";
  }
  Lines writes() const {
    Lines out;
    for (auto& line : server.requests()) {
      if (!line.starts_with("GET ")) out.push_back(std::move(line));
    }
    return out;
  }

  Retention retention{api, {}};
  WhatIfController controller{api,     retention, default_config(), io.get_executor(), io.get_executor(),
                              one_node};
};

constexpr std::string_view kFits =
    R"({"dryRun":true,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})";

TEST(WhatIfController, AnswersInTheStatusAndWritesNothingElse) {
  Asking w;
  w.ask("ask", kFits);
  w.settle();
  EXPECT_EQ(w.status("ask").at("outcome"), "Fits");
  EXPECT_EQ(w.status("ask").at("node"), "n1");
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 1);
  EXPECT_EQ(w.accepted("ask"), "True: the question makes sense");
  EXPECT_EQ(w.writes(), Lines{kPath + "ask/status"});
  EXPECT_EQ(w.controller.answered(), 1u);
  EXPECT_EQ(w.retention.size(), 1u);
  EXPECT_EQ(w.report("ask").at("spec"), json::parse(kFits));
}

TEST(WhatIfController, SaysWhatMakesNoSenseWithItsPath) {
  struct Case {
    const char *name, *spec, *starts;
  };
  const Case cases[] = {
      {"neither pod nor template", R"({"dryRun":true})", "False: spec"},
      {"a template that is no object", R"({"dryRun":true,"template":3})", "False: spec.template"},
      {"no container", R"({"dryRun":true,"template":{"spec":{"containers":[]}}})",
       "False: spec.template.spec.containers"},
      {"a quantity that is none",
       R"({"dryRun":true,"template":{"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"lots"}}}]}}})",
       "False: spec.template.spec.containers[0].resources.requests"},
      {"no such profile",
       R"({"dryRun":true,"profile":"nobody","template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})",
       "False: spec.profile: \"nobody\""},
      {"no such pod", R"({"dryRun":true,"podRef":{"name":"nobody"}})", "False: spec.podRef.name: "},
      {"a pod that has its node", R"({"dryRun":true,"podRef":{"name":"placed"}})",
       "False: spec.podRef.name: pod placed is on node n1 already"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Asking w;
    w.server.put("pods", json::parse(R"({"metadata":{"name":"placed","namespace":"shop"},
                                         "spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})"));
    w.ask("ask", c.spec);
    w.settle();
    EXPECT_TRUE(w.accepted("ask").starts_with(c.starts)) << w.accepted("ask");
    EXPECT_FALSE(w.status("ask").as_object().contains("outcome"));
    EXPECT_TRUE(w.status("ask").as_object().contains("expiresAt")) << "it goes like any other";
    EXPECT_EQ(w.writes(), Lines{kPath + "ask/status"});
  }
}

TEST(WhatIfController, AsksAboutAPendingPodAsItIs) {
  Asking w;
  w.server.put("pods", json::parse(R"({"metadata":{"name":"pending","namespace":"shop"},
      "spec":{"schedulerName":"default-scheduler","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"64"}}}]}})"));
  w.ask("ask", R"({"dryRun":true,"podRef":{"name":"pending"}})");
  w.settle();
  EXPECT_EQ(w.status("ask").at("outcome"), "DoesNotFit");
  EXPECT_EQ(w.writes(), Lines{kPath + "ask/status"});
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
  EXPECT_EQ(w.writes().size(), 2u);
}

TEST(WhatIfController, OfTheQuestionsThatWaitOnlyTheLastIsAnswered) {
  Asking w;
  for (int generation = 1; generation <= 3; ++generation) w.ask("ask", kFits, generation);
  w.settle();
  EXPECT_EQ(w.status("ask").at("observedGeneration"), 3);
  EXPECT_EQ(w.writes().size(), 1u);
}

TEST(WhatIfController, AnswersThatAreThereAtTheStartAreNotGivenAgain) {
  Asking w;
  w.server.put(kPlural, json::parse(R"({"metadata":{"name":"old","namespace":"shop","generation":4},
                                        "spec":{"dryRun":true},"status":{"observedGeneration":4,"outcome":"Fits"}})"));
  w.settle();
  EXPECT_EQ(w.writes(), Lines());
}

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
  EXPECT_TRUE(w.accepted("ask").starts_with("False: spec")) << w.accepted("ask");
}

}  // namespace
}  // namespace podium::controller
