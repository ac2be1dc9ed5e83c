// A drain names the pods of all namespaces that the asker may see, and counts the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/app/report_api/fixture.h"

namespace podium::app::report_api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kReport = "/v1/namespaces/shop/whatif/report", kOfAll = kReport + "?allNamespaces=true";
constexpr std::string_view kDrain = R"({"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
  "spec": {"dryRun": true, "template": {"spec": {"nodeSelector": {"no": "node"}, "containers": [{"name": "c", "image": "i"}]}},
           "changes": [{"type": "DrainNodes", "nodeNames": ["n1"]}]}})";

// Pods on n1: one of each namespace.
struct Draining : Served {
  explicit Draining(std::vector<std::string> namespaces) {
    nodes = 2;
    for (const auto& ns : namespaces)
      placed.push_back(test::pod("p").ns(ns).uid(ns).owner("ReplicaSet", "r").req("cpu", "100m").node("n1"));
  }

  json::value drain(const std::string& user, std::string_view body = kDrain,
                    const std::string& path = kOfAll) {
    auto asked_by = request("POST", path, body);
    asked_by.authorization = user;
    asked.clear();
    const auto reply = send(std::move(asked_by));
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body).at("status").at("changes").at(0);
  }
  // "namespace/pod node" of the named pods.
  static std::vector<std::string> named(const json::value& change) {
    std::vector<std::string> out;
    const auto* pods = change.as_object().if_contains("pods");
    if (!pods) return out;
    for (const auto& pod : pods->as_array()) {
      const auto* ns = pod.as_object().if_contains("namespace");
      out.push_back(fmt::format("{}/{} {}", ns ? std::string_view(ns->as_string()) : "-",
                                std::string_view(pod.at("name").as_string()),
                                std::string_view(pod.at("nodeName").as_string())));
    }
    return out;
  }
};

TEST(Drain, NamesThePodsThatTheAskerMaySee) {
  Draining served({"shop", "web", "secret"});
  const auto of_all = served.drain("ann");
  EXPECT_THAT(Draining::named(of_all), ElementsAre("secret/p n2", "-/p n2", "web/p n2"));
  EXPECT_EQ(of_all.at("podsTotal"), 3);
  EXPECT_THAT(served.asked,
              ElementsAre("ann create schedulingreports.podium.dev/v1alpha1 in shop",
                          "ann create schedulingreports.podium.dev/v1alpha1 in ", "ann list pods./v1 in "))
      << "who may do it everywhere is asked about no single namespace";
  const auto of_half = served.drain("half");
  EXPECT_THAT(Draining::named(of_half), ElementsAre("-/p n2", "web/p n2"));
  EXPECT_EQ(of_half.at("podsTotal"), 2);
  EXPECT_EQ(of_half.at("podsEvicted"), 3) << "the others are counted";
  const auto of_blind = served.drain("blind");
  EXPECT_THAT(Draining::named(of_blind), ElementsAre("-/p n2")) << "of the namespace of the question";
}

TEST(Drain, OtherQuestionsAskForNoOtherRights) {
  Draining served({"shop", "secret"});
  EXPECT_THAT(Draining::named(served.drain("ann", kDrain, kReport)), ElementsAre("-/p n2"));
  EXPECT_EQ(served.asked.size(), 1u) << "it is not asked for all namespaces";
  std::string cordon(kDrain);
  cordon.replace(cordon.find("DrainNodes"), 10, "CordonNode");
  cordon.replace(cordon.find(R"("nodeNames": ["n1"])"), 19, R"("nodeName": "n1")");
  served.drain("half", cordon);
  EXPECT_EQ(served.asked.size(), 1u);
}

TEST(Drain, ANodeWithoutPodsOfOthersAsksForNoOtherRights) {
  Draining alone({"shop"});
  alone.drain("half");
  EXPECT_EQ(alone.asked.size(), 1u);
}

TEST(Drain, TheNamespacesThatAreReviewedAreBounded) {
  std::vector<std::string> namespaces{"shop"};
  for (int i = 0; i < 100; ++i) namespaces.push_back(fmt::format("ns-{:03}", i));
  Draining served(namespaces);
  const auto change = served.drain("half");
  EXPECT_EQ(change.at("podsTotal"), 1);
  EXPECT_LE(served.asked.size(), 40u);
}

TEST(Drain, ANodeThatFailsNamesThemAlso) {
  Draining served({"shop", "web", "secret"});
  std::string failure(kDrain);
  failure.replace(failure.find("DrainNodes"), 10, "FailNodes");
  EXPECT_THAT(Draining::named(served.drain("half", failure)), ElementsAre("-/p n2", "web/p n2"));
}

// The words are those of `kubectl podium drain`.
TEST(Drain, SaysWhatTheTerminalSays) {
  Draining served({"shop", "secret"});
  served.placed.push_back(test::pod("bare").ns("shop").uid("b").req("cpu", "100m").node("n1"));
  for (auto& pod : served.placed)
    pod.meta.labels = api::Labels(std::vector<api::Labels::Entry>{{"app", "web"}});
  served.budgets.push_back(test::disruption_budget("shop", "web", test::select_labels({{"app", "web"}}), 1));
  const auto words = json::parse(served.post(kReport + "?words=true", kDrain).body).at("words");
  const auto& said = words.at("changes").at(0);
  EXPECT_EQ(said.at("verdict"), "2 of 3 pods have a new place; 1 without a controller would be lost.");
  EXPECT_EQ(said.at("notes").at(0), "1 pod of namespaces that you may not list is counted and not named.");
  EXPECT_EQ(said.at("budgets").at(0),
            "budget shop/web allows 1 disruption, and 2 of its pods are here: shop/bare and shop/p");
  EXPECT_EQ(said.at("pods").at(0), "no controller recreates it: it would be lost");
  EXPECT_EQ(said.at("against").at(1).at(0), "budget web allows 1 disruption, and 2 of its pods are here");
  EXPECT_FALSE(words.as_object().contains("rolling"));
}

TEST(Drain, StepsSayWhatTheTerminalSays) {
  Draining served({"shop"});
  std::string rolling(kDrain);
  const std::string_view one = R"({"type": "DrainNodes", "nodeNames": ["n1"]})";
  rolling.replace(rolling.find(one), one.size(), R"({"type": "AddNodes", "count": 1, "like": "n2"},
    {"type": "DrainNodes", "nodeNames": ["n1"], "thenUncordon": true},
    {"type": "DrainNodes", "nodeNames": ["n2"], "thenUncordon": true}, {"type": "DrainNodes", "nodeNames": ["n2-new-1"]})");
  const auto words = json::parse(served.post(kReport + "?words=true", rolling).body).at("words");
  const auto& said = words.at("rolling");
  EXPECT_EQ(said.at("verdict"), "2 nodes in 2 steps of 1, with 1 spare node like n2; nothing would wait.");
  ASSERT_EQ(said.at("steps").as_array().size(), 3u);
  EXPECT_EQ(said.at("steps").at(0).at("name"), "1");
  EXPECT_EQ(said.at("steps").at(0).at("nodes"), "n1");
  EXPECT_EQ(said.at("steps").at(2).at("name"), "end");
  EXPECT_TRUE(std::string_view(said.at("notes").at(0).as_string()).starts_with("Least spare in step 1: "));
  EXPECT_TRUE(words.at("changes").at(0).as_object().empty()) << "it adds nodes";
}

}  // namespace
}  // namespace podium::app::report_api
