// The text about a drain: podium's answer joined with the node's pods and their budgets.
#include "app/render/drain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "unit/app/render/fixtures.h"

namespace podium::render {
namespace {

namespace json = boost::json;

json::value pod_of(const char* ns, const char* name, const char* owner, const char* app = "",
                   bool scratch = false) {
  json::object meta{{"namespace", ns}, {"name", name}, {"labels", json::object{{"app", app}}}};
  if (std::string(owner) == "static")
    meta["annotations"] = json::object{{"kubernetes.io/config.mirror", "x"}};
  else if (*owner)
    meta["ownerReferences"] = json::array{json::object{{"kind", owner}, {"name", "o"}, {"controller", true}}};
  json::object spec{{"schedulerName", "default-scheduler"}};
  if (scratch) spec["volumes"] = json::array{json::object{{"name", "v"}, {"emptyDir", json::object()}}};
  return json::object{{"metadata", std::move(meta)},
                      {"spec", std::move(spec)},
                      {"status", json::object{{"phase", "Running"}}}};
}

std::vector<json::value> pods_of_n9() {
  return {
      pod_of("shop", "api-0", "ReplicaSet", "api"), pod_of("shop", "bare", ""),
      pod_of("shop", "big", "ReplicaSet"),          pod_of("shop", "cache-11", "ReplicaSet", "cache", true),
      pod_of("bank", "ledger", "StatefulSet"),      pod_of("kube-system", "proxy-1", "DaemonSet"),
      pod_of("kube-system", "etcd-n9", "static")};
}

json::value budget(const char* name, const char* selector, int allowed) {
  return json::object{{"metadata", json::object{{"name", name}}},
                      {"spec", json::object{{"selector", json::parse(selector)}}},
                      {"status", json::object{{"disruptionsAllowed", allowed}}}};
}

// Joins them like the command.
Drain joined(const std::vector<json::value>& objects, const json::value& answer = drain_answer()) {
  const auto change = read_report(answer).status.answer->changes.at(0);
  Drain drain{.nodes = {"n9"}};
  set_numbers(change, drain);
  for (const auto& object : objects) drain.pods.push_back(*read_node_pod(object));
  for (const auto& answer : change.pods) {
    const auto pod = std::ranges::find_if(
        drain.pods, [&](const NodePod& each) { return each.ns == "shop" && each.name == answer.name; });
    if (pod != drain.pods.end()) pod->answer = answer;
  }
  return drain;
}

TEST(Drain, SaysWhereEachPodGoesAndWhatStandsInTheWay) {
  auto drain = joined(pods_of_n9());
  drain.budgets_named =
      find_obstacles("shop", {budget("cache", R"({"matchLabels": {"app": "cache"}})", 0)}, drain).size();
  EXPECT_EQ(
      drain_table(drain, plain()),
      "3 of 5 pods have a new place; 1 would wait, 1 without a controller would be lost.\n"
      "POD            GOES TO  SCORE  NODES THAT FIT\n"
      "shop/api-0     n2         457              53\n"
      "shop/bare      -            -               -  ✗ no controller recreates it: it would be lost\n"
      "shop/big       -            -               -  ✗ no node fits; most do not have enough free cpu\n"
      "shop/cache-11  n1         447              30  ! budget cache allows 0 disruptions; "
      "! has data on the node: emptyDir v\n"
      "bank/ledger    -            -               -  ? podium does not name it\n"
      "Not evicted: 1 pod of a DaemonSet (kube-system/proxy-1), 1 static pod (kube-system/etcd-n9).\n"
      "Fullest afterwards: n1 cpu 91%, n2 memory 40%.\n"
      "Nothing was evicted. To do it: kubectl drain n9 --ignore-daemonsets --delete-emptydir-data --force\n");
  EXPECT_EQ(drain_exit_code(drain), 3);
}

TEST(Drain, TheMostFrequentReasonMayBeThatOfFewNodes) {
  explain::DrainedPod pod{.name = "big", .code = "NoNode", .reason = "Insufficient cpu"};
  pod.cause = explain::Cause{"InsufficientResource", {{framework::Topic::resource, "cpu"}}};
  EXPECT_EQ(no_place(pod), "no node fits; some do not have enough free cpu") << "an older podium";
  pod.nodes = 2;
  pod.nodes_total = 5;
  EXPECT_EQ(no_place(pod), "no node fits; 2 of 5 do not have enough free cpu");
  pod.nodes = 1;
  EXPECT_EQ(no_place(pod), "no node fits; 1 of 5 does not have enough free cpu");
  pod.nodes = 3;
  EXPECT_EQ(no_place(pod), "no node fits; most do not have enough free cpu");
  pod.cause.reset();
  EXPECT_EQ(no_place(pod), "no node fits; most: Insufficient cpu");
  pod.cause = explain::Cause{"InsufficientResource", {{framework::Topic::resource, "cpu"}}};
  pod.nodes = 5;
  EXPECT_EQ(no_place(pod), "no node fits; 5 of 5 do not have enough free cpu");
  pod.nodes = pod.nodes_total = 1;
  EXPECT_EQ(no_place(pod), "no node fits; 1 of 1 does not have enough free cpu");
}

TEST(Drain, AFailureOfEmptyNodes) {
  Drain drain{.nodes = {"n9"}, .is_failure = true};
  EXPECT_EQ(drain_verdict(drain, {}), "If n9 fails, no pod loses its place.\n");
  drain.nodes.emplace_back("n10");
  EXPECT_EQ(drain_verdict(drain, {}), "If n9 and n10 fail, no pod loses its place.\n");
}

TEST(Drain, OneOfSeveralHasANewPlace) {
  Drain drain{.nodes = {"n9"}};
  drain.evicted = 3;
  drain.moved = 1;
  drain.pending = 2;
  EXPECT_EQ(drain_verdict(drain, {}), "1 of 3 pods has a new place; 2 would wait.\n");
}

TEST(Drain, PodsThatTheAnswerDoesNotNameHaveOneLine) {
  auto objects = pods_of_n9();
  for (int i = 0; i < 40; ++i)
    objects.push_back(pod_of("shop", fmt::format("web-{:02}", i).c_str(), "ReplicaSet", "web"));
  auto drain = joined(objects);
  find_obstacles("shop", {budget("web", R"({"matchLabels": {"app": "web"}})", 0)}, drain);
  const auto text = drain_table(drain, plain());
  EXPECT_NE(
      text.find("\n? podium does not say where 41 more pods go: bank/ledger, shop/web-00, shop/web-01 and "
                "38 more.\n! 40 of these: budget web allows 0 disruptions.\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("shop/web-02"), std::string::npos) << text;
}

TEST(Drain, NeedsNoFlagsWhereAllHaveAPlace) {
  auto drain = joined({pods_of_n9()[0]});
  drain.evicted = drain.moved = 1;
  drain.pending = drain.budgets_broken = 0;
  drain.fullest.clear();
  EXPECT_EQ(drain_table(drain, plain()),
            "1 of 1 pod has a new place; nothing would wait.\n"
            "POD         GOES TO  SCORE  NODES THAT FIT\n"
            "shop/api-0  n2         457              53\n"
            "Nothing was evicted. To do it: kubectl drain n9\n");
  EXPECT_EQ(drain_exit_code(drain), 0);
}

TEST(Drain, AnEmptyNodeHasNothingToEvict) {
  const Drain drain{.nodes = {"n9"}, .pods = {*read_node_pod(pod_of("a", "log", "DaemonSet"))}};
  EXPECT_EQ(drain_table(drain, plain()),
            "n9 has no pods to evict.\n"
            "Not evicted: 1 pod of a DaemonSet (a/log).\n"
            "Nothing was evicted. To do it: kubectl drain n9 --ignore-daemonsets\n");
  EXPECT_EQ(drain_exit_code(drain), 0);
}

TEST(Drain, SaysWhatTheUserMayNotSee) {
  auto drain = joined({pods_of_n9()[0]});
  drain.sees_all = false;
  drain.unasked = {.forbidden = {"bank"}, .ending = {"old", "older"}};
  const auto text = drain_table(drain, plain());
  EXPECT_NE(
      text.find(
          "4 pods of namespaces that you may not list are counted and not named.\n"
          "You may not create schedulingreports in bank, so pods there are not evaluated.\n"
          "The API server accepts no questions in old and older, which are being deleted, so pods there are "
          "not evaluated.\n"
          "! 1 PodDisruptionBudget that you may not see does not allow all of these evictions now.\n"),
      std::string::npos)
      << text;
  drain.budgets_named = 1;
  EXPECT_EQ(drain_table(drain, plain()).find("PodDisruptionBudget"), std::string::npos)
      << "it is with its pod";
  drain.moved = 0;
  EXPECT_EQ(drain_exit_code(drain), 4);
}

TEST(Drain, BudgetsAsAnEvictionSeesThem) {
  const char* const kAll = "{}";
  const char* const kApi = R"({"matchLabels": {"app": "api"}})";
  struct Case {
    std::vector<json::value> budgets;
    std::vector<std::string> of_api;
  };
  const Case cases[] = {
      {{budget("b", kApi, 1)}, {}},
      {{budget("b", kApi, 0)}, {"budget b allows 0 disruptions"}},
      {{budget("b", kAll, 1)}, {"budget b allows 1 disruption, and 4 of its pods are here"}},
      {{budget("b", R"({"matchLabels": {"app": "web"}})", 0)}, {}},
      {{budget("a", kAll, 9), budget("b", kApi, 9)},
       {"2 budgets match it, so its eviction is not allowed: a, b"}},
      {{budget("broken", "3", 0)}, {}},
  };
  for (const auto& c : cases) {
    auto drain = joined(pods_of_n9());
    find_obstacles("shop", c.budgets, drain);
    EXPECT_EQ(drain.pods[0].obstacles, c.of_api);
    EXPECT_TRUE(drain.pods[4].obstacles.empty()) << "bank's pod";
  }
}

TEST(Drain, ABudgetProtectsNoPodThatIsPending) {
  auto pending = pod_of("shop", "api-0", "ReplicaSet");
  pending.as_object()["status"] = json::object{{"phase", "Pending"}};
  auto drain = joined({pending});
  find_obstacles("shop", {budget("b", "{}", 0)}, drain);
  EXPECT_TRUE(drain.pods[0].obstacles.empty());
}

TEST(Drain, APodThatTerminatesGoesAnyway) {
  const auto said = [](const char* owner) {
    auto going = pod_of("a", "web", owner);
    going.at("metadata").as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    const Drain drain{.nodes = {"n9"}, .pods = {*read_node_pod(going)}};
    return drain_table(drain, plain());
  };
  EXPECT_EQ(said("ReplicaSet"),
            "n9 has no pods to evict.\n"
            "Not evicted: 1 pod that is terminating (a/web).\n"
            "Nothing was evicted. To do it: kubectl drain n9\n");
  EXPECT_NE(said("StatefulSet").find("a/web"), std::string::npos) << "it comes again";
  EXPECT_EQ(said("StatefulSet").find("Not evicted"), std::string::npos);
}

TEST(Drain, EndedPodsAreNotEvicted) {
  auto ended = pod_of("shop", "job", "Job");
  ended.as_object()["status"] = json::object{{"phase", "Succeeded"}};
  EXPECT_FALSE(read_node_pod(ended));
}

TEST(Drain, TheDocumentHasTheSame) {
  const auto document = drain_document(joined(pods_of_n9()));
  EXPECT_EQ(document.at("podsEvicted"), 5u);
  EXPECT_EQ(document.at("podsGone"), 1u) << "as in the first line of the text";
  EXPECT_EQ(document.at("pods").at(0),
            json::parse(
                R"({"namespace": "shop", "name": "api-0", "nodeName": "n2", "score": 457, "feasible": 53})"));
  EXPECT_EQ(document.at("pods").at(1),
            json::parse(R"({"namespace": "shop", "name": "bare", "code": "NoController"})"));
  EXPECT_EQ(document.at("notEvicted").at(0),
            json::parse(R"({"namespace": "kube-system", "name": "proxy-1", "because": "DaemonSet"})"));
}

}  // namespace
}  // namespace podium::render
