// Preemption on small clusters, through the real filters of the default profile: who is asked to go, where,
// and what is said where nobody is. Machines have 4 CPUs and room for as many pods as wanted; pods without a
// priority have 0.
#include "scheduler/plugins/default_preemption.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "scheduler/framework/decision.h"
#include "scheduler/plugins/registry.h"
#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test {
namespace {

using framework::Decision;
using podium::test::disruption_budget;
using podium::test::PodBuilder;
using podium::test::select_all;
using podium::test::select_labels;
using podium::test::share;
using podium::test::spread;
using podium::test::term;
using Budgets = std::vector<api::PodDisruptionBudget>;

// The default profile's filters and PostFilter plugins, in upstream's order.
framework::Profile default_profile() {
  framework::Profile profile;
  for (const auto& entry : in_tree()) {
    if (!entry.make || !entry.by_default) continue;
    auto plugin = entry.make({});
    const std::string name(entry.name);
    if (const auto* filter = dynamic_cast<const framework::FilterPlugin*>(plugin.get())) {
      profile.filters.push_back({name, filter});
      if (filter->has_pre_filter()) profile.pre_filters.push_back({name, filter});
    }
    if (const auto* post_filter = dynamic_cast<const framework::PostFilterPlugin*>(plugin.get())) {
      profile.post_filters.push_back({name, post_filter});
    }
    profile.plugins.push_back(std::move(plugin));
  }
  return profile;
}

std::shared_ptr<const framework::Plugin> in_tree_plugin(std::string_view name) {
  const auto entries = in_tree();
  return std::ranges::find(entries, name, &PluginEntry::name)->make({});
}

api::Node machine(const std::string& name, const std::string& zone = "") {
  auto made = node(name).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "20");
  if (!zone.empty()) made.zone(zone);
  return made;
}

PodBuilder runs(const std::string& name, const std::string& node, int priority, std::string_view cpu = "2") {
  return pod(name).node(node).priority(priority).req("cpu", cpu).started("2026-01-01T00:00:00Z");
}

PodBuilder wants(std::string_view cpu, int priority = 100) {
  return pod("preemptor").priority(priority).req("cpu", cpu);
}

struct Case {
  std::string name;
  api::Pod pod;
  Pods placed;
  std::string want;  // "node: victim victim", or the message of the plugin
  Nodes nodes = {machine("a"), machine("b")};
  Budgets budgets;
  Pods nominated;
};

Decision decide(const Case& c) {
  auto snapshot = snapshot_of(c.nodes, c.placed);
  for (const auto& budget : c.budgets) snapshot.objects().set(share(budget));
  for (const auto& other : c.nominated) snapshot.nominate(info(other), other.nominated_node);
  static const auto profile = default_profile();
  return framework::evaluate(*info(c.pod), snapshot, profile);
}

std::string answer(const Case& c) {
  const auto decision = decide(c);
  EXPECT_TRUE(decision.tried_preemption);
  if (decision.preemption) {
    auto text = decision.preemption->node + ":";
    for (const auto& victim : decision.preemption->victims) text += " " + victim->pod->meta.name;
    return text;
  }
  const auto words = decision.message.find("preemption: ");
  return words == std::string::npos ? "no word of preemption: " + decision.message
                                    : decision.message.substr(words);
}

void check(const std::vector<Case>& cases) {
  for (const auto& c : cases) EXPECT_EQ(answer(c), c.want) << c.name;
}

// --- who may go ---

TEST(DefaultPreemption, VictimsOnOneNode) {
  const Nodes one{machine("a")};
  const std::string nobody =
      "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
  const auto full = [&](std::string name, PodBuilder pod, Pods placed, std::string want) {
    return Case{std::move(name), pod, std::move(placed), std::move(want), one};
  };
  check({
      full("the only pod", wants("3"), {runs("v", "a", 0)}, "a: v"),
      full("not one of equal priority", wants("3"), {runs("v", "a", 100)}, nobody),
      full("nor one of higher", wants("3"), {runs("v", "a", 200)}, nobody),
      full("of two the less important one", wants("2"), {runs("low", "a", 1), runs("high", "a", 50)},
           "a: low"),
      full("both where it takes both, more important first", wants("4"),
           {runs("low", "a", 1), runs("high", "a", 50)}, "a: high low"),
      full("a small one rather than a big one of the same priority: those that run longer stay", wants("1"),
           {runs("old", "a", 1), runs("young", "a", 1).started("2026-01-02T00:00:00Z")}, "a: young"),
      full("one that has not started is the youngest", wants("1"),
           {pod("new").node("a").priority(1).req("cpu", "2"),
            runs("young", "a", 1).started("2026-01-02T00:00:00Z")},
           "a: new"),
      full("nobody who is not in the way", wants("3"),
           {runs("big", "a", 1, "3"), runs("idle", "a", 0, "0"), runs("tiny", "a", 1, "1")}, "a: big"),
      full("an important pod goes where no other is enough", wants("3"),
           {runs("big", "a", 50, "3"), runs("tiny", "a", 1, "1")}, "a: big"),
      full("a terminating pod can be a victim too", wants("3"), {runs("v", "a", 0).terminating()}, "a: v"),
      full("a negative priority", wants("3", 0), {runs("v", "a", -1)}, "a: v"),
      full("not enough even without them", wants("3"), {runs("v", "a", 0, "1"), runs("rock", "a", 100, "2")},
           "preemption: 0/1 nodes are available: 1 Insufficient cpu."),
      full("it would not fit on the empty node", wants("5"), {runs("v", "a", 0)},
           "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."),
  });
}

TEST(DefaultPreemption, WhatOtherFiltersAskFor) {
  const auto on = [](const char* name, const char* node, int priority) {
    return runs(name, node, priority, "0");
  };
  check({
      {"a host port",
       pod("p").priority(9).host_port(80),
       {on("v", "a", 1).host_port(80), on("stays", "a", 0)},
       "a: v",
       {machine("a")}},
      {"anti-affinity of its own",
       pod("p").priority(9).anti_affinity(term("kubernetes.io/hostname").label("app", "db")),
       {on("v", "a", 1).label("app", "db"), on("stays", "a", 0).label("app", "web")},
       "a: v",
       {machine("a")}},
      {"anti-affinity of theirs",
       pod("p").priority(9).label("app", "web"),
       {on("v", "a", 1).anti_affinity(term("kubernetes.io/hostname").label("app", "web")),
        on("stays", "a", 0)},
       "a: v",
       {machine("a")}},
      {"anti-affinity over a zone is not resolved from another node",
       pod("p").priority(9).anti_affinity(term("topology.kubernetes.io/zone").label("app", "db")),
       {on("v", "a", 1).label("app", "db"), on("other", "b", 1)},
       "a: v",
       {machine("a", "z"), machine("b", "z")}},
      {"a spread constraint",
       pod("p")
           .priority(9)
           .req("cpu", "1")
           .label("app", "web")
           .spread(spread("kubernetes.io/hostname").label("app", "web")),
       {on("v1", "a", 1).label("app", "web"), on("v2", "a", 2).label("app", "web"),
        runs("rock", "b", 50, "4")},
       "a: v2 v1",
       {machine("a"), machine("b")}},
      {"affinity to a victim does not help: it is not there any more",
       pod("p").priority(9).req("cpu", "3").affinity(term("kubernetes.io/hostname").label("app", "db")),
       {runs("v", "a", 1).label("app", "db")},
       "preemption: 0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
       {machine("a")}},
      {"taints are not resolved",
       wants("1"),
       {runs("v", "a", 0)},
       "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
       {node("a").cap("cpu", "4").cap("pods", "9").taint("k", "v", "NoSchedule")}},
  });
}

// --- budgets ---

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
      {"it goes where it must", wants("4"), two, "a: guarded free", one, {budget(0)}},
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
      {"the second victim of a budget for one is a violation",
       wants("4"),
       {app("g1", "a", 1), app("g2", "a", 1), app("free", "b", 50, "web"), app("too", "b", 50, "web")},
       "b: free too",
       {machine("a"), machine("b")},
       {budget(1)}},
  });
}

TEST(DefaultPreemption, SplitByBudget) {
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
  const auto [violating, others] = split_by_budget(pods, objects);
  EXPECT_EQ(names(violating), (std::vector<std::string>{"x2", "y1", "xy"}));
  EXPECT_EQ(names(others), (std::vector<std::string>{"x1", "none", "x3"}));
}

// --- which node ---

TEST(DefaultPreemption, ChoiceOfTheNode) {
  const auto young = [](PodBuilder pod) { return pod.started("2026-02-01T00:00:00Z"); };
  check({
      {"the lower highest priority", wants("4"), {runs("v1", "a", 20), runs("v2", "b", 10)}, "b: v2"},
      {"even with more victims",
       wants("4"),
       {runs("v1", "a", 20), runs("v2", "b", 10), runs("v3", "b", 10)},
       "b: v2 v3"},
      {"the lower sum of priorities",
       wants("4"),
       {runs("v1", "a", 10), runs("v2", "a", 9), runs("v3", "b", 10), runs("v4", "b", 5)},
       "b: v3 v4"},
      {"fewer victims where priorities are negative",
       wants("4"),
       {runs("v1", "a", -5), runs("v2", "a", -5), runs("v3", "b", -5, "4")},
       "b: v3"},
      {"fewer victims",
       wants("4"),
       {runs("v1", "a", 0), runs("v2", "a", 0), runs("v3", "b", 0, "4")},
       "b: v3"},
      {"the later start of the most important victims",
       wants("4"),
       {runs("v1", "a", 5), young(runs("v2", "b", 5))},
       "b: v2"},
      {"the earliest of them counts",
       wants("4"),
       {runs("v1", "a", 5), young(runs("v2", "a", 5)), young(runs("v3", "b", 5)), young(runs("v4", "b", 5))},
       "b: v3 v4"},
      {"those of less important victims do not count",
       wants("4"),
       {young(runs("v1", "a", 5)), runs("v2", "a", 4), runs("v3", "b", 5), young(runs("v4", "b", 4))},
       "a: v1 v2"},
      {"the first by name among equals", wants("4"), {runs("v2", "b", 5), runs("v1", "a", 5)}, "a: v1"},
  });
}

TEST(DefaultPreemption, ChoiceOfWhatExtendersLeave) {
  using Candidates = std::vector<PreemptionCandidate>;
  const auto snapshot = snapshot_of({machine("a"), machine("b")}, {});
  const auto plugin = in_tree_plugin("DefaultPreemption");
  const auto young = [](PodBuilder pod) { return pod.started("2026-02-01T00:00:00Z"); };
  const auto on = [&](const char* node, std::initializer_list<api::Pod> pods, std::int64_t violations = 0) {
    PreemptionCandidate out{*snapshot.find_row(node), {}, violations};
    for (const auto& pod : pods) out.victims.push_back(cluster::make_pod_info(share(pod)));
    return out;
  };
  const struct {
    const char* name;
    Result<Candidates> left;
    std::string want;
  } cases[] = {
      {"none", Candidates{}, "Unschedulable: preemption: no candidate node for preemption"},
      {"a failure", Result<Candidates>(podium::fail(Error::Kind::status, "refused")),
       "Error: preemption: refused"},
      {"the victims stay in the extender's order",
       Candidates{on("b", {runs("v1", "b", 1), runs("v2", "b", 5)})}, "b: v1 v2"},
      {"the violations that it counts",
       Candidates{on("a", {runs("v1", "a", 1)}, 2), on("b", {runs("v2", "b", 9)}, 1)}, "b: v2"},
      {"the first victim's priority counts as the highest",
       Candidates{on("a", {runs("v1", "a", 5)}), on("b", {runs("v2", "b", 1), runs("v3", "b", 9)})},
       "b: v2 v3"},
      {"and the start is that of the most important",
       Candidates{on("a", {runs("v1", "a", 1), runs("v2", "a", 9)}),
                  on("b", {runs("v3", "b", 1), young(runs("v4", "b", 9))})},
       "b: v3 v4"},
  };
  for (const auto& c : cases) {
    const auto result = dynamic_cast<const framework::PostFilterPlugin&>(*plugin).choose(snapshot, c.left);
    EXPECT_TRUE(result.preempts) << c.name;
    EXPECT_FALSE(result.withdraw_nomination) << c.name;
    std::string got;
    if (result.failed) {
      got =
          std::string(framework::to_string(result.failed->code)) + ": " + framework::message(*result.failed);
    } else {
      got = result.preemption->node + ":";
      for (const auto& victim : result.preemption->victims) got += " " + (*victim)->meta.name;
    }
    EXPECT_EQ(got, c.want) << c.name;
  }
}

// --- nominations ---

TEST(DefaultPreemption, NominatedPods) {
  const auto reserved = [](const char* node, int priority, const char* cpu) {
    return pod("other").priority(priority).req("cpu", cpu).nominated(node);
  };
  check({
      {"room is kept for those at least as important",
       wants("3"),
       {runs("v", "a", 1), runs("w", "b", 50)},
       "b: w",
       {machine("a"), machine("b")},
       {},
       {reserved("a", 100, "4")}},
      {"not for those less important",
       wants("3"),
       {runs("v", "a", 1), runs("w", "b", 50)},
       "a: v",
       {machine("a"), machine("b")},
       {},
       {reserved("a", 99, "4")}},
  });
}

TEST(DefaultPreemption, Eligibility) {
  const auto going = [](int priority, std::string reason = "PreemptionByScheduler",
                        std::string status = "True") {
    return runs("going", "a", priority).terminating().condition("DisruptionTarget", status, reason);
  };
  const auto stays = runs("rock", "a", 200);
  const std::string waits = "preemption: not eligible due to a terminating pod on the nominated node.";
  const Nodes one{machine("a")};
  const auto nominated = [&](std::string name, api::Pod placed, std::string want, std::string to = "a") {
    return Case{std::move(name), wants("1").nominated(to), {placed, stays}, std::move(want), one};
  };
  check({
      {"never",
       wants("3").preempt_never(),
       {runs("v", "a", 0)},
       "preemption: not eligible due to preemptionPolicy=Never.",
       one},
      nominated("a victim is on its way out", going(0), waits),
      nominated("it goes for another reason", going(0, "EvictionByEvictionAPI"), "a: going"),
      nominated("its condition is not true", going(0, "PreemptionByScheduler", "False"), "a: going"),
      nominated("it is as important", going(100),
                "preemption: 0/1 nodes are available: 1 No preemption victims found for "
                "incoming pod."),
      nominated("nominated to a node that is gone", going(0), "a: going", "gone"),
      {"the nominated node cannot be used any more",
       wants("1").nominated("shut"),
       {runs("going", "shut", 0).terminating().condition("DisruptionTarget", "True", "PreemptionByScheduler"),
        runs("v", "a", 0), runs("rock", "a", 200)},
       "a: v",
       {machine("a"), podium::test::node("shut").cap("cpu", "4").cap("pods", "9").unschedulable()}},
  });
}

// --- what is said, and what becomes of the nomination ---

TEST(DefaultPreemption, Messages) {
  const auto tainted = podium::test::node("c").cap("cpu", "4").cap("pods", "9").unschedulable();
  const Case vain{"",
                  wants("3"),
                  {runs("v", "a", 0, "2"), runs("rock", "a", 100, "2"), runs("same", "b", 100)},
                  "",
                  {machine("a"), machine("b"), tainted}};
  auto decision = decide(vain);
  EXPECT_EQ(decision.message,
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. no new claims to "
            "deallocate, "
            "preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for "
            "incoming pod, 1 "
            "Preemption is not helpful for scheduling.");
  EXPECT_TRUE(decision.withdraw_nomination);

  decision = decide({"", wants("3"), {runs("v", "a", 0)}, "", {machine("a")}});
  EXPECT_EQ(decision.message, "0/1 nodes are available: 1 Insufficient cpu.")
      << "who finds a way silences the others";
  EXPECT_FALSE(decision.withdraw_nomination);

  decision = decide({"", wants("3").preempt_never(), {runs("v", "a", 0)}, "", {machine("a")}});
  EXPECT_FALSE(decision.withdraw_nomination) << "it may still wait for what it was nominated to";

  decision = decide({"", wants("1").claim("missing"), {}, "", {machine("a")}});
  EXPECT_EQ(decision.message,
            "0/1 nodes are available: persistentvolumeclaim \"missing\" not found. not found");
  EXPECT_FALSE(decision.tried_preemption) << "DynamicResources has ended the chain";
}

}  // namespace
}  // namespace podium::plugins::test
