// The disruption budgets that a drain names: those that the asker may see, with their pods.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/explain/answer/asking.h"
#include "unit/support/cost.h"

namespace podium::explain {
namespace {

ChangeResult drained_by(const cluster::Snapshot& snapshot, const std::string& change) {
  const auto status = unit::ask(unit::web("\"changes\": [" + change + "]"), snapshot);
  EXPECT_TRUE(status.answer) << status.message;
  return status.answer ? status.answer->changes.at(0) : ChangeResult();
}

TEST(Budgets, ADrainNamesTheBudgetsOfItsOwnNamespaceAndTheirPods) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "8"}});
  const auto owned = [](const char* name, const char* ns, const char* app) {
    return test::pod(name).ns(ns).owner("ReplicaSet", "web").label("app", app).req("cpu", "10m").node("n1");
  };
  for (const auto* name : {"web-0", "web-1", "web-2"}) unit::run_pod(snapshot, owned(name, "shop", "web"));
  unit::run_pod(snapshot, owned("api", "shop", "api"));
  unit::run_pod(snapshot, owned("ledger", "vault", "ledger"));
  const auto protect = [&](const char* ns, const char* app, int allowed) {
    snapshot.objects().set(
        test::share(test::disruption_budget(ns, app, test::select_labels({{"app", app}}), allowed)));
  };
  protect("shop", "web", 1);
  protect("shop", "api", 1);
  protect("vault", "ledger", 0);
  const auto drained = drained_by(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})");
  EXPECT_EQ(drained.budgets_broken, 2u);
  ASSERT_EQ(drained.budgets.size(), 1u) << "one allows it, and one is of another namespace";
  const auto& web = drained.budgets[0];
  EXPECT_EQ(web.name, "web");
  EXPECT_EQ(web.ns, "");
  EXPECT_EQ(web.allowed, 1u);
  EXPECT_EQ(web.pods_total, 3u);
  EXPECT_EQ(fmt::format("{}", fmt::join(web.pods, " ")), "web-0 web-1 web-2");
  const auto failed = drained_by(snapshot, R"({"type": "FailNodes", "nodeNames": ["n1"]})");
  EXPECT_TRUE(failed.budgets.empty());
}

TEST(Budgets, PodsThatTheEvictionApiRefusesAreCounted) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "8"}});
  for (const auto* ns : {"shop", "vault"}) {
    unit::run_pod(snapshot,
                  test::pod("db").ns(ns).uid(ns).owner("ReplicaSet", "db").label("app", "db").node("n1"));
    for (const auto* name : {"one", "two"})
      snapshot.objects().set(
          test::share(test::disruption_budget(ns, name, test::select_labels({{"app", "db"}}), 9)));
  }
  const auto drained = drained_by(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})");
  EXPECT_EQ(drained.budgets_broken, 0u) << "each of them allows it";
  EXPECT_EQ(drained.with_several_budgets, 2u) << "of all namespaces";
  EXPECT_EQ(drained.message,
            "2 pods evicted: 2 would move, 0 would stay pending; 2 pods cannot be evicted, because several "
            "PodDisruptionBudgets select them");
}

// As the eviction API counts.
TEST(Budgets, ProtectOnlyPodsThatRunAndAreReady) {
  const auto broken = [](int current, int desired, bool always, const char* phase, const char* ready) {
    auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "8"}});
    unit::run_pod(snapshot, test::pod("web")
                                .ns("shop")
                                .owner("ReplicaSet", "web")
                                .label("app", "web")
                                .node("n1")
                                .phase(phase)
                                .condition("Ready", ready));
    auto budget = test::disruption_budget("shop", "web", test::select_labels({{"app", "web"}}), 0);
    budget.current_healthy = current;
    budget.desired_healthy = desired;
    budget.evicts_unhealthy = always;
    snapshot.objects().set(test::share(std::move(budget)));
    const auto drained = drained_by(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})");
    EXPECT_EQ(drained.pods_moved, 1u);
    return *drained.budgets_broken == 1;
  };
  EXPECT_TRUE(broken(2, 2, false, "Running", "True"));
  EXPECT_FALSE(broken(2, 2, false, "Running", "False")) << "it does not count among the two";
  EXPECT_TRUE(broken(1, 2, false, "Running", "False"));
  EXPECT_FALSE(broken(1, 2, true, "Running", "False")) << "AlwaysAllow";
  EXPECT_TRUE(broken(0, 0, false, "Running", "False"));
  EXPECT_FALSE(broken(1, 2, false, "Pending", "False"));
}

TEST(Drains, PutNoPodInTheSteadOfOneThatTerminates) {
  const auto moved = [](const char* owner) {
    auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "8"}});
    unit::run_pod(snapshot, test::pod("web").ns("shop").owner(owner, "web").node("n1").terminating());
    const auto drained = drained_by(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})");
    EXPECT_EQ(drained.pods_total, drained.pods_moved);
    return drained.pods_moved;
  };
  EXPECT_EQ(moved("ReplicaSet"), 0u) << "its controller has made another one";
  EXPECT_EQ(moved("StatefulSet"), 1u) << "the other one has its name";
}

// A drain of n1, with a number of pods of the namespace and budgets of another that select all pods there.
test::Work drain_of(std::size_t n, const char* ns, const char* ns_of_budgets) {
  const auto snapshot = std::make_shared<cluster::Snapshot>(unit::nodes_of({{"n1", "8"}}));
  const std::string long_name(200, 'x');
  for (std::size_t i = 0; i < n; ++i) {
    const auto name = fmt::format("{}-{}", long_name, i);
    unit::run_pod(*snapshot, test::pod(name).ns(ns).owner("ReplicaSet", "web").node("n1"));
    snapshot->objects().set(
        test::share(test::disruption_budget(ns_of_budgets, name, api::LabelSelector(), 0)));
  }
  return [snapshot] { (void)drained_by(*snapshot, R"({"type": "DrainNode", "nodeName": "n1"})"); };
}

// Each pair must be compared, within the deadline.
TEST(Budgets, ThatAllSelectAllPodsCostMemoryByTheirNumber) {
  const auto once = test::cost_of(drain_of(100, "shop", "shop")),
             twice = test::cost_of(drain_of(200, "shop", "shop"));
  EXPECT_LE(twice.peak, test::kLinear * once.peak);
}

TEST(Budgets, OfOtherNamespacesAreNotCompared) {
  EXPECT_TRUE(test::is_linear(200, [](std::size_t n) { return drain_of(n, "shop", "vault"); }));
}

TEST(Budgets, ThatSelectOnePodAreNamedUpToABound) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "8"}});
  unit::run_pod(snapshot, test::pod("db").ns("shop").owner("ReplicaSet", "db").node("n1"));
  for (const auto* name : {"a", "b", "c", "d", "e", "f"})
    snapshot.objects().set(test::share(test::disruption_budget("shop", name, api::LabelSelector(), 0)));
  const auto drained = drained_by(snapshot, R"({"type": "DrainNode", "nodeName": "n1"})");
  ASSERT_EQ(drained.pods.size(), 1u);
  EXPECT_EQ(fmt::format("{}", fmt::join(drained.pods[0].warnings, "; ")),
            "6 budgets match it, so its eviction is not allowed: a, b, c, d and 2 more");
  EXPECT_EQ(drained.budgets_broken, 6u);
  EXPECT_EQ(drained.with_several_budgets, 1u);
}

// The pods of the first node run on the second one by the time that is drained.
TEST(Budgets, ALaterDrainEvictsThePodsOfAnEarlierOne) {
  auto snapshot = unit::nodes_of({{"n1", "8"}, {"n2", "8"}});
  for (const auto& [name, node] : {std::pair("w1", "n1"), std::pair("w2", "n1"), std::pair("w3", "n2")})
    unit::run_pod(
        snapshot,
        test::pod(name).ns("shop").uid(name).owner("ReplicaSet", "web").label("app", "web").node(node));
  snapshot.objects().set(
      test::share(test::disruption_budget("shop", "web", test::select_labels({{"app", "web"}}), 1)));
  const auto status = unit::ask(unit::web(R"("changes": [
      {"type": "DrainNode", "nodeName": "n1"}, {"type": "DrainNode", "nodeName": "n2"}])"),
                                snapshot);
  ASSERT_TRUE(status.answer) << status.message;
  const auto& second = status.answer->changes.at(1);
  ASSERT_EQ(second.budgets.size(), 1u);
  EXPECT_EQ(second.budgets[0].pods_total, 3u);
}

}  // namespace
}  // namespace podium::explain
