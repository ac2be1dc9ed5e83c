#include "unit/scheduler/plugins/resource_reference.h"

#include "scheduler/cluster/snapshot.h"

namespace podium::plugins::test::node_resources_balanced_allocation_test {
namespace {

const std::string kThree = R"({"resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1},
                                             {"name": "example.com/gpu", "weight": 1}]})";

TEST(NodeResourcesBalancedAllocation, Score) {
  const auto sized = [](const char* name) { return node(name).cap("cpu", "10").cap("memory", "10000"); };
  const struct {
    const char* name;
    std::string args;
    api::Pod pod;
    Nodes nodes;
    Pods placed;
    Scores want;
  } cases[] = {
      {"nothing requested", "{}", pod("p"), {sized("n")}, {}, {}},
      {"nothing of these requested", "{}", pod("p").req("ephemeral-storage", "1"), {sized("n")}, {}, {}},
      {"neutral", "{}", pod("p").req("cpu", "2").req("memory", "2000"), {sized("n")}, {}, {{"n", 75}}},
      // Balance goes from 100 to (1 - 0.3) * 100.
      {"worse", "{}", pod("p").req("cpu", "6"), {sized("n")}, {}, {{"n", 60}}},
      // And from 70 back to 100.
      {"better",
       "{}",
       pod("p").req("memory", "6000"),
       {sized("n")},
       {pod("x").node("n").req("cpu", "6")},
       {{"n", 90}}},
      {"shares end at 1", "{}", pod("p").req("cpu", "30"), {sized("n")}, {}, {{"n", 50}}},
      {"one resource is always even",
       "{}",
       pod("p").req("cpu", "6"),
       {node("n").cap("cpu", "10")},
       {},
       {{"n", 75}}},
      {"an empty node", "{}", pod("p").req("cpu", "6"), {node("n")}, {}, {{"n", 75}}},
      {"real requests count, not the defaults",
       "{}",
       pod("p").req("cpu", "1").req("memory", "1000"),
       {sized("n")},
       {pod("x").node("n").container()},
       {{"n", 75}}},
      {"pod-level requests count",
       "{}",
       pod("p").req("cpu", "1").pod_req("cpu", "6"),
       {sized("n")},
       {},
       {{"n", 60}}},
      {"an extended resource that is not requested is left out",
       kThree,
       pod("p").req("cpu", "6"),
       {sized("n").cap("example.com/gpu", "4")},
       {pod("x").node("n").req("example.com/gpu", "4")},
       {{"n", 60}}},
      // Shares of 0.6, 0 and 0.25: a deviation of 0.2460.
      {"three resources",
       kThree,
       pod("p").req("cpu", "6").req("example.com/gpu", "1"),
       {sized("n").cap("example.com/gpu", "4")},
       {},
       {{"n", 50 + (50 + 75 - 100) / 2}}},
      {"a node without one of three",
       kThree,
       pod("p").req("cpu", "6").req("example.com/gpu", "1"),
       {sized("n")},
       {},
       {{"n", 60}}},
      // An API server refuses such pods. Balance goes from 100 to (1 - 0.1) * 100.
      {"a negative usage counts as none",
       "{}",
       pod("p").req("cpu", "2").req("memory", "2000"),
       {sized("n")},
       {pod("x").node("n").req("cpu", "-1P")},
       {{"n", 70}}},
      {"a negative request, too", "{}", pod("p").req("cpu", "-429496738"), {sized("n")}, {}, {{"n", 75}}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(
        score(make(make_node_resources_balanced_allocation, c.args), c.pod, snapshot_of(c.nodes, c.placed)),
        c.want)
        << c.name;
  }
}

TEST(NodeResourcesBalancedAllocation, PodLevelRequestsThatDoNotCount) {
  constexpr cluster::RequestRules kOff{.pod_level = false, .pod_level_resize = false};
  const Nodes nodes{node("n").cap("cpu", "10").cap("memory", "10000")};
  const Pods placed{pod("x").node("n").req("memory", "1000").pod_req("memory", "6000")};
  const auto plugin = make(make_node_resources_balanced_allocation);
  const auto asked = [&](const api::Pod& pod, const cluster::RequestRules& rules) {
    return score(plugin, pod, snapshot_of(nodes, placed, rules), {}, rules);
  };
  EXPECT_EQ(asked(pod("p").pod_req("cpu", "6"), {}), (Scores{{"n", 90}}));
  EXPECT_EQ(asked(pod("p").pod_req("cpu", "6"), kOff), Scores{});
  // Balance goes from (1 - 0.05) * 100 to 100.
  EXPECT_EQ(asked(pod("p").req("cpu", "1").pod_req("cpu", "6"), kOff), (Scores{{"n", 77}}));
}

TEST(NodeResourcesBalancedAllocation, RandomScoresAgreeWithOneNodeAtATime) {
  SCOPED_SEED(test_seed());
  const std::vector<std::string> lists[] = {
      {"cpu", "memory"}, {"cpu", "memory", "example.com/gpu", "ephemeral-storage"}, {"memory"}};
  for (const bool huge : {false, true}) {
    RandomResources random(test_seed(), huge);
    const auto snapshot = snapshot_of(random.nodes(1200), random.placed(3000, 1200));
    for (int round = 0; round < 15; ++round) {
      const auto& names = lists[round % 3];
      std::string args;
      for (const auto& name : names)
        args += (args.empty() ? "" : ", ") + (R"({"name": ")" + name + R"(", "weight": 1})");
      const auto incoming = random.incoming();
      const auto requests = info(incoming)->requests;
      Scores want;
      snapshot.present().each([&](cluster::Row row) {
        std::vector<std::pair<double, double>> with, without;
        for (const auto& name : names) {
          const auto request = requests.get(name);
          if (request == 0 && cluster::is_scalar_resource(name)) continue;
          const auto amounts = amounts_of(snapshot, row, name);
          const auto all = static_cast<double>(amounts.allocatable);
          with.emplace_back(static_cast<double>(cluster::saturating_add(amounts.requested, request)), all);
          without.emplace_back(static_cast<double>(amounts.requested), all);
        }
        want[std::string(snapshot.node_name(row))] =
            50 + (50 + reference_balance(with) - reference_balance(without)) / 2;
      });
      const bool skipped =
          std::ranges::all_of(names, [&](const auto& name) { return requests.get(name) == 0; });
      EXPECT_EQ(score(make(make_node_resources_balanced_allocation, R"({"resources": [)" + args + "]}"),
                      incoming, snapshot),
                skipped ? Scores{} : want);
    }
  }
}

// A plugin that keeps balances from one decision to the next, and one that has none.
TEST(NodeResourcesBalancedAllocation, WhatIsKeptIsWhatIsSo) {
  SCOPED_SEED(test_seed());
  constexpr int kNodes = 1100;
  RandomResources random(test_seed(), false);
  const auto nodes = random.nodes(kNodes);
  std::vector<Snapshot> forks{snapshot_of({nodes.begin(), nodes.begin() + 900}, random.placed(2000, kNodes))};
  const auto plugin = make(make_node_resources_balanced_allocation);
  for (int round = 0; round < 60; ++round) {
    auto& changed = forks[random.below(forks.size())];
    for (const auto& pod : random.placed(round % 20 == 7 ? 80 : 2, kNodes)) changed.add_pod(info(pod));
    if (random.below(2)) changed.remove_pod("uid-placed" + std::to_string(random.below(2000)));
    if (random.below(2)) changed.set_node(std::make_shared<const api::Node>(nodes[random.below(kNodes)]));
    if (random.below(4) == 0) changed.remove_node("n" + std::to_string(random.below(kNodes)));
    if (round % 10 == 3 && forks.size() < 4) forks.push_back(Snapshot(changed));
    const auto incoming = random.incoming();
    const auto& asked = forks[random.below(forks.size())];
    EXPECT_EQ(score(plugin, incoming, asked),
              score(make(make_node_resources_balanced_allocation), incoming, asked))
        << round;
  }
}

}  // namespace
}  // namespace podium::plugins::test::node_resources_balanced_allocation_test
