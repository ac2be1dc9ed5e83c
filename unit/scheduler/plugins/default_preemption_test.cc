// DefaultPreemption: victims, the chosen node, and the messages if there is none.
#include "unit/scheduler/plugins/preemption_fixture.h"

namespace podium::plugins::test::default_preemption_test {
namespace {

using podium::test::spread;
using podium::test::term;

// --- victims ---

TEST(DefaultPreemption, VictimsOnOneNode) {
  const Nodes one{machine("a")};
  const std::string none =
      "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
  const auto full = [&](std::string name, PodBuilder pod, Pods placed, std::string want) {
    return Case{std::move(name), pod, std::move(placed), std::move(want), one};
  };
  check({
      full("the only pod", wants("3"), {runs("v", "a", 0)}, "a: v"),
      full("not one of equal priority", wants("3"), {runs("v", "a", 100)}, none),
      full("nor one of higher", wants("3"), {runs("v", "a", 200)}, none),
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
      full("none who is not in the way", wants("3"),
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
      {"two spread constraints, on the node and on the zone",
       pod("p")
           .priority(9)
           .label("app", "web")
           .spread(spread("topology.kubernetes.io/zone").label("app", "web"))
           .spread(spread("kubernetes.io/hostname").label("app", "web")),
       {on("v1", "a", 3).label("app", "web"), on("v2", "a", 2).label("app", "web"),
        on("v3", "b", 1).label("app", "web"), on("rock1", "c", 50).label("app", "web"),
        on("rock2", "c", 50).label("app", "web")},
       "b: v3",
       {machine("a", "y"), machine("b", "y"), machine("c", "z")}},
      {"affinity to a victim does not help: it is not there any more",
       pod("p").priority(9).req("cpu", "3").affinity(term("kubernetes.io/hostname").label("app", "db")),
       {runs("v", "a", 1).label("app", "db")},
       "preemption: 0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
       {machine("a")}},
      {"nodes that the pod does not name are not tried",
       wants("3").require_node(podium::test::node_term({}, {podium::test::in("metadata.name", {"b"})})),
       {runs("v", "a", 0, "4"), runs("rock", "b", 100, "4")},
       "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is "
       "not helpful for scheduling."},
      {"taints are not resolved",
       wants("1"),
       {runs("v", "a", 0)},
       "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
       {node("a").cap("cpu", "4").cap("pods", "9").taint("k", "v", "NoSchedule")}},
  });
}

// --- the chosen node ---

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

TEST(DefaultPreemption, GivesTheCodeOfAPodThatIsNotEligible) {
  const auto code = [](api::Pod pod, api::Pod placed) {
    return decide({"", std::move(pod), {std::move(placed), runs("rock", "a", 200)}, "", {machine("a")}})
        .no_preemption;
  };
  const auto going =
      runs("going", "a", 0).terminating().condition("DisruptionTarget", "True", "PreemptionByScheduler");
  EXPECT_EQ(code(wants("3").preempt_never(), runs("v", "a", 0)), framework::ReasonCode::preemption_never);
  EXPECT_EQ(code(wants("1").nominated("a"), going), framework::ReasonCode::victims_terminate);
  EXPECT_EQ(code(wants("1"), runs("v", "a", 100)), std::nullopt) << "it is eligible, and finds no victims";
}

// --- messages, and the nomination afterwards ---

TEST(DefaultPreemption, Messages) {
  const auto tainted = podium::test::node("c").cap("cpu", "4").cap("pods", "9").unschedulable();
  const Case vain{"",
                  wants("3"),
                  {runs("v", "a", 0, "2"), runs("rock", "a", 100, "2"), runs("same", "b", 100)},
                  "",
                  {machine("a"), machine("b"), tainted}};
  auto decision = decide(vain);
  EXPECT_EQ(decision.message,
            "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. "
            "preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for "
            "incoming pod, 1 "
            "Preemption is not helpful for scheduling.");
  EXPECT_TRUE(decision.withdraw_nomination);

  decision = decide({"", wants("3"), {runs("v", "a", 0)}, "", {machine("a")}});
  EXPECT_EQ(decision.message,
            "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on "
            "node a, preempting 1 victims");
  EXPECT_FALSE(decision.withdraw_nomination);

  decision = decide({"", wants("3").preempt_never(), {runs("v", "a", 0)}, "", {machine("a")}});
  EXPECT_FALSE(decision.withdraw_nomination) << "it may still wait for what it was nominated to";

  decision = decide({"", wants("1").claim("missing"), {}, "", {machine("a")}});
  EXPECT_EQ(decision.message,
            "0/1 nodes are available: persistentvolumeclaim \"missing\" not found. not found");
  EXPECT_FALSE(decision.tried_preemption) << "DynamicResources has ended the chain";
}

}  // namespace
}  // namespace podium::plugins::test::default_preemption_test
