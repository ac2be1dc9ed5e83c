// PodDisruptionBudgets in preemption: the pods that they protect, and their effect on the chosen node.
#include "scheduler/plugins/preemption/disruption_budgets.h"
#include "unit/scheduler/plugins/preemption_fixture.h"
#include "unit/support/cost.h"

namespace podium::plugins::test::preemption_budgets_test {
namespace {

using podium::test::disruption_budget;
using podium::test::select_all;
using podium::test::select_labels;
using Strings = std::vector<std::string>;

TEST(DefaultPreemption, Budgets) {
  const auto app = [](const char* name, const char* node, int priority, const char* app = "db") {
    return runs(name, node, priority).label("app", app);
  };
  const auto budget = [](int allowed, const char* name = "db", const char* ns = "default") {
    return disruption_budget(ns, name, select_labels({{"app", name}}), allowed);
  };
  auto counted = budget(0);
  counted.disrupted_pods = {"guarded"};
  auto everything = disruption_budget("default", "all", select_all(), 0);
  auto nothing = disruption_budget("default", "none", {}, 0);
  nothing.selector.reset();
  const Nodes one{machine("a")};
  const Pods two{app("guarded", "a", 1), app("free", "a", 1, "web")};
  check({
      {"a guarded pod is reprieved before one that is not", wants("2"), two, "a: free", one, {budget(0)}},
      {"before a more important one",
       wants("2"),
       {app("guarded", "a", 1), app("free", "a", 50, "web")},
       "a: free",
       one,
       {budget(0)}},
      {"it goes where it must", wants("4"), two, "a: guarded(db) free", one, {budget(0)}},
      {"a budget that allows for it guards nobody",
       wants("2"),
       {app("guarded", "a", 1), app("free", "a", 50, "web")},
       "a: guarded",
       one,
       {budget(1)}},
      {"a budget of another namespace",
       wants("2"),
       {app("guarded", "a", 1), app("free", "a", 50, "web")},
       "a: guarded",
       one,
       {budget(0, "db", "other")}},
      {"an empty selector guards nobody",
       wants("2"),
       {app("guarded", "a", 1), app("free", "a", 50, "web")},
       "a: guarded",
       one,
       {everything}},
      {"nor does none",
       wants("2"),
       {app("guarded", "a", 1), app("free", "a", 50, "web")},
       "a: guarded",
       one,
       {nothing}},
      {"one that the API server has counted already",
       wants("2"),
       {app("guarded", "a", 1), app("free", "a", 50, "web")},
       "a: guarded",
       one,
       {counted}},
      {"a node without violations wins, whatever the priorities",
       wants("4"),
       {app("guarded", "a", 1), app("free", "b", 50, "web")},
       "b: free",
       {machine("a"), machine("b")},
       {budget(0)}},
      {"of nodes with as many violations, the lower highest priority",
       wants("4"),
       {app("g1", "a", 60), app("g2", "b", 20), app("free", "b", 10, "web")},
       "b: g2(db) free",
       {machine("a"), machine("b")},
       {budget(0)}},
      {"fewer violations before a lower priority",
       wants("4"),
       {app("g1", "a", 1), app("g2", "a", 1), app("g3", "b", 50), app("free", "b", 50, "web")},
       "b: g3(db) free",
       {machine("a"), machine("b")},
       {budget(0)}},
      {"the second victim of a budget for one is a violation",
       wants("4"),
       {app("g1", "a", 1), app("g2", "a", 1), app("free", "b", 50, "web"), app("too", "b", 50, "web")},
       "b: free too",
       {machine("a"), machine("b")},
       {budget(1)}},
      {"which is named if no node would do without it",
       wants("4"),
       {app("g1", "a", 2), app("g2", "a", 1)},
       "a: g1 g2(db)",
       one,
       {budget(1)}},
      {"of several budgets of a victim, the first that it violates",
       wants("4"),
       {app("g1", "a", 2), app("g2", "a", 1)},
       "a: g1(db-2) g2(db)",
       one,
       {budget(1), disruption_budget("default", "db-2", select_labels({{"app", "db"}}), 0)}},
  });
}

// Those of a node's pods whose eviction violates a budget, evicted in this order.
std::vector<cluster::PodInfoPtr> violating_of(DisruptionBudgets& budgets,
                                              const std::vector<cluster::PodInfoPtr>& pods) {
  auto eviction = budgets.evict();
  std::vector<cluster::PodInfoPtr> out;
  for (const auto& one : pods)
    if (eviction.violates(**one)) out.push_back(one);
  return out;
}

TEST(DefaultPreemption, EvictionsThatViolateABudget) {
  const auto labelled = [](const char* name, const char* key) { return pod(name).label(key, "yes"); };
  cluster::Objects objects;
  objects.set(share(disruption_budget("default", "x", select_labels({{"x", "yes"}}), 1)));
  objects.set(share(disruption_budget("default", "y", select_labels({{"y", "yes"}}), 0)));
  std::vector<cluster::PodInfoPtr> pods;
  for (const auto& made : Pods{labelled("x1", "x"), pod("none"), labelled("x2", "x"), labelled("y1", "y"),
                               labelled("xy", "x").label("y", "yes"), labelled("x3", "x").ns("other")}) {
    pods.push_back(info(made));
  }
  const auto names = [](const std::vector<cluster::PodInfoPtr>& list) {
    std::vector<std::string> out;
    for (const auto& one : list) out.push_back((*one)->meta.name);
    return out;
  };
  DisruptionBudgets budgets(objects);
  EXPECT_EQ(names(violating_of(budgets, pods)), (std::vector<std::string>{"x2", "y1", "xy"}));
  EXPECT_EQ(names(violating_of(budgets, pods)), (std::vector<std::string>{"x2", "y1", "xy"}))
      << "each node has evictions of its own";
}

// A pod in disruptedPods is not counted against the budget again.
TEST(DefaultPreemption, PodsThatABudgetHasCounted) {
  const auto violating = [](Strings counted) {
    cluster::Objects objects;
    auto budget = disruption_budget("default", "db", select_labels({{"app", "db"}}), 1);
    budget.disrupted_pods = std::move(counted);
    objects.set(share(budget));
    std::vector<cluster::PodInfoPtr> pods;
    for (const auto* name : {"db1", "db2", "db3"}) pods.push_back(info(pod(name).label("app", "db")));
    DisruptionBudgets budgets(objects);
    Strings names;
    for (const auto& each : violating_of(budgets, pods)) names.push_back((*each)->meta.name);
    return names;
  };
  EXPECT_EQ(violating({}), (Strings{"db2", "db3"}));
  EXPECT_EQ(violating({"other"}), (Strings{"db2", "db3"}));
  EXPECT_EQ(violating({"db1"}), (Strings{"db3"}));
  EXPECT_EQ(violating({"db3"}), (Strings{"db2"}));
  EXPECT_EQ(violating({"db1", "db3"}), Strings{});
}

// Users write budgets, pods and the requirements of selectors, each by the thousand.
TEST(DefaultPreemption, ComparisonsWithBudgetsAreBounded) {
  constexpr int kMany = 1'000;
  cluster::Objects objects;
  const auto add = [&objects](const std::string& ns, const std::string& name, int requirements) {
    api::LabelSelector selector;
    for (int i = 0; i < requirements; ++i)
      selector.match_expressions.push_back({"k" + std::to_string(i), api::Requirement::Op::not_in, {"v"}});
    objects.set(share(disruption_budget(ns, name, std::move(selector), kMany)));
  };
  for (int i = 0; i < kMany; ++i) add("greedy", std::to_string(i), 100);
  add("modest", "one", 3);
  std::vector<cluster::PodInfoPtr> pods;
  for (const auto* ns : {"greedy", "modest", "none"}) {
    for (int i = 0; i < kMany; ++i) {
      auto one = pod(std::to_string(i)).ns(ns).label("pod", std::to_string(i));
      pods.push_back(info(one));
    }
  }
  std::map<std::string, int> violating;
  DisruptionBudgets budgets(objects);
  const auto cost = podium::test::cost_of([&] {
    for (const auto& each : violating_of(budgets, pods)) ++violating[(*each)->meta.namespace_];
  });
  const auto* violated = budgets.evict().violates(*pods.front()->pod);
  ASSERT_TRUE(violated);
  EXPECT_FALSE(*violated) << "no budget is known";
  // Those that were not compared count as protected, in their namespace only.
  EXPECT_EQ(violating.size(), 1u);
  EXPECT_GT(violating["greedy"], kMany / 2);
  // Without a bound: 100 million requirements, of about 40 basic blocks each.
  EXPECT_LT(cost.steps, 60 * DisruptionBudgets::kMostOfNamespace);
}

}  // namespace
}  // namespace podium::plugins::test::preemption_budgets_test
