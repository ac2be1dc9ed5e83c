// PodTopologySpread and InterPodAffinity compared with reference implementations on random clusters.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/random.h"
#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"
#include "unit/scheduler/plugins/affinity_reference.h"
#include "unit/scheduler/plugins/spread_reference.h"
#include "unit/support/seed.h"

namespace podium::plugins::topology_test::topology_random_test {
namespace {

using namespace podium::test;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  const T& of(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
  }

 private:
  std::mt19937_64 engine_;
};

const std::vector<std::string> kApps{"a", "b", "c"}, kTiers{"x", "y"},
    kNamespaces{"default", "shop", "batch"},
    kKeys{"kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack", "nobody.has/this"};

api::LabelSelector random_selector(Random& random) {
  switch (random.below(12)) {
    case 0:
      return select_all();
    case 1:
      return select_where({in("app", {"a", "b"})});
    case 2:
      return select_where({not_in("tier", {random.of(kTiers)})});
    case 3:
      return select_where({exists("tier"), in("app", {random.of(kApps)})});
    case 4:
      return select_where({does_not_exist("tier")});
    case 5:
      return select_labels({{"app", random.of(kApps)}, {"tier", random.of(kTiers)}});
    case 6:
      return select_where({in("app", {random.of(kApps)}), not_in("tier", {random.of(kTiers)})});
    case 7: {  // more values than an index takes
      auto many = in("app", {random.of(kApps)});
      for (int i = 0; i < 40; ++i) many.values.push_back("v" + std::to_string(i));
      return select_where({many});
    }
    default:
      return select_labels({{"app", random.of(kApps)}});
  }
}

api::LabelSelector random_namespace_selector(Random& random) {
  switch (random.below(5)) {
    case 0:
      return select_all();
    case 1:
      return select_where({not_in("team", {"one"})});
    case 2:
      return select_where({does_not_exist("team")});
    default:
      return select_labels({{"team", random.chance(50) ? "one" : "two"}});
  }
}

api::PodAffinityTerm random_term(Random& random) {
  api::PodAffinityTerm term;
  term.topology_key = random.of(kKeys);
  if (term.topology_key == kKeys.back() && random.chance(70)) term.topology_key = kKeys[1];
  if (random.chance(95)) term.label_selector = random_selector(random);
  if (random.chance(20)) term.namespaces = {random.of(kNamespaces), "elsewhere"};
  if (random.chance(5)) {  // more than an index takes
    for (int i = 0; i < 40; ++i) term.namespaces.push_back("ns" + std::to_string(i));
    term.namespaces.push_back(random.of(kNamespaces));
  }
  if (random.chance(25)) term.namespace_selector = random_namespace_selector(random);
  // The API server merges the values of these keys into the selector.
  if (term.label_selector && random.chance(15)) {
    term.match_label_keys = {"tier"};
    term.label_selector->match_expressions.push_back(in("tier", {random.of(kTiers)}));
  }
  if (term.label_selector && random.chance(10)) {
    term.mismatch_label_keys = {"app"};
    term.label_selector->match_expressions.push_back(not_in("app", {random.of(kApps)}));
  }
  return term;
}

void add_affinity(api::Pod& pod, Random& random, int percent) {
  if (random.chance(percent)) pod.pod_affinity.required.push_back(random_term(random));
  if (random.chance(percent / 2)) pod.pod_affinity.required.push_back(random_term(random));
  for (int i = 0; i < 2; ++i) {
    if (random.chance(percent)) pod.pod_anti_affinity.required.push_back(random_term(random));
    if (random.chance(percent))
      pod.pod_affinity.preferred.push_back({1 + random.below(100), random_term(random)});
    if (random.chance(percent))
      pod.pod_anti_affinity.preferred.push_back({1 + random.below(100), random_term(random)});
  }
}

api::TopologySpreadConstraint random_constraint(Random& random) {
  api::TopologySpreadConstraint constraint;
  constraint.topology_key = random.of(kKeys);
  constraint.max_skew = 1 + random.below(3);
  constraint.do_not_schedule = random.chance(50);
  if (random.chance(95)) constraint.label_selector = random_selector(random);
  if (constraint.do_not_schedule && random.chance(25)) constraint.min_domains = 1 + random.below(5);
  constraint.honor_node_affinity = random.chance(70);
  constraint.honor_node_taints = random.chance(40);
  if (random.chance(20)) constraint.match_label_keys = {"tier"};
  return constraint;
}

api::Pod random_pod(Random& random, const std::string& name) {
  auto builder = pod(name).ns(random.of(kNamespaces)).label("app", random.of(kApps));
  if (random.chance(50)) builder.label("tier", random.of(kTiers));
  return builder;
}

api::Node random_node(Random& random, const std::string& name) {
  auto builder = node(name);
  if (random.chance(5)) builder.no_hostname();
  if (random.chance(80)) builder.zone(random.chance(5) ? "" : "z" + std::to_string(random.below(4)));
  if (random.chance(60)) builder.label("rack", "r" + std::to_string(random.below(8)));
  if (random.chance(20))
    builder.taint("dedicated", "gpu", random.chance(50) ? "NoSchedule" : "PreferNoSchedule");
  return builder;
}

struct Scenario {
  TestCluster cluster;
  api::Pod incoming;
  SpreadDefaults defaults;
  InterPodAffinity::Args affinity_args;
  std::vector<std::string> infeasible;
};

Scenario random_scenario(std::uint64_t seed) {
  Random random(seed);
  Scenario scenario;
  auto& [nodes, pods, namespaces, workloads] = scenario.cluster;
  for (int i = 1 + random.below(30); i > 0; --i)
    nodes.push_back(random_node(random, "n" + std::to_string(i)));
  for (int i = random.below(60); i > 0; --i) {
    auto placed = random_pod(random, "p" + std::to_string(i));
    placed.node_name = random.chance(3) ? "gone" : random.of(nodes).meta.name;
    if (random.chance(10)) placed.meta.deleted = Wall{};
    add_affinity(placed, random, 8);
    pods.push_back(std::move(placed));
  }
  namespaces.push_back(make_namespace("default", {{"team", "one"}}));
  namespaces.push_back(make_namespace("shop", {{"team", "two"}}));
  if (random.chance(50)) namespaces.push_back(make_namespace("batch"));
  if (random.chance(50)) workloads.push_back(service("shop", "s", {{"app", random.of(kApps)}}));
  if (random.chance(50)) workloads.push_back(service("default", "s", {{"tier", random.of(kTiers)}}));
  workloads.push_back(
      workload(api::Workload::Kind::replica_set, "shop", "rs", select_labels({{"app", "a"}})));
  workloads.push_back(
      workload(api::Workload::Kind::stateful_set, "batch", "ss", select_where({exists("app")})));

  scenario.incoming = random_pod(random, "incoming");
  auto& incoming = scenario.incoming;
  if (random.chance(50)) {
    incoming.meta.owners.push_back({"apps/v1", random.chance(50) ? "ReplicaSet" : "StatefulSet",
                                    random.chance(50) ? "rs" : "ss", "u", true});
  }
  if (random.chance(60)) add_affinity(incoming, random, 35);
  if (random.chance(60)) {
    for (int i = 1 + random.below(3); i > 0; --i)
      incoming.topology_spread.push_back(random_constraint(random));
  }
  if (random.chance(30))
    incoming.node_selector.set("topology.kubernetes.io/zone", "z" + std::to_string(random.below(3)));
  if (random.chance(30)) incoming.tolerations.push_back({"dedicated", "gpu"});

  scenario.defaults.system = random.chance(50);
  auto& defaults = scenario.defaults.constraints;
  if (scenario.defaults.system) {
    defaults = {spread("kubernetes.io/hostname").max_skew(3).schedule_anyway(),
                spread("topology.kubernetes.io/zone").max_skew(5).schedule_anyway()};
  } else {
    for (int i = random.below(3); i > 0; --i) {
      auto constraint = random_constraint(random);
      constraint.label_selector.reset();
      constraint.min_domains.reset();
      constraint.match_label_keys.clear();
      defaults.push_back(std::move(constraint));
    }
  }
  scenario.affinity_args = {random.below(3) * 7, random.chance(20)};
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (random.chance(20)) scenario.infeasible.push_back(nodes[i].meta.name);
  }
  return scenario;
}

// Builds the same cluster with extra additions and removals, so that rows, value ids and classes are reused.
cluster::Snapshot by_detour(const Scenario& scenario, std::uint64_t seed) {
  Random random(seed);
  auto snapshot = scenario.cluster.snapshot();
  std::vector<api::Pod> extra;
  for (int i = 0; i < 10; ++i) {
    snapshot.set_node(std::make_shared<api::Node>(random_node(random, "extra" + std::to_string(i))));
    auto placed = random_pod(random, "extra" + std::to_string(i));
    placed.node_name =
        random.chance(50) ? random.of(scenario.cluster.nodes).meta.name : "extra" + std::to_string(i);
    add_affinity(placed, random, 20);
    snapshot.add_pod(cluster::make_pod_info(std::make_shared<api::Pod>(placed)));
    extra.push_back(std::move(placed));
  }
  const auto& again = random.of(scenario.cluster.nodes);
  auto relabelled = again;
  relabelled.meta.labels.set("rack", "another");
  snapshot.set_node(std::make_shared<api::Node>(relabelled));
  for (const auto& each : extra) snapshot.remove_pod(each.meta.uid);
  for (int i = 0; i < 10; ++i) snapshot.remove_node("extra" + std::to_string(i));
  snapshot.set_node(std::make_shared<api::Node>(again));
  return snapshot;
}

// PODIUM_TEST_SEED runs one seed only; PODIUM_TEST_SEEDS sets how many.
std::vector<std::uint64_t> seeds() {
  if (const auto one = podium::test::given_seed()) return {*one};
  const auto* many = std::getenv("PODIUM_TEST_SEEDS");
  std::vector<std::uint64_t> result(many ? std::strtoull(many, nullptr, 10) : 2000);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = i + 1;
  return result;
}

// The verdict on `node` after adding and removing pods.
template <typename Reference>
std::string after(const TestCluster& cluster, const std::string& node, const std::vector<api::Pod>& added,
                  const std::vector<api::Pod>& removed, Reference&& reference) {
  auto changed = cluster;
  for (const auto& pod : added) changed.pods.push_back(pod);
  std::erase_if(changed.pods, [&](const api::Pod& pod) {
    return std::ranges::any_of(removed, [&](const api::Pod& gone) { return gone.meta.uid == pod.meta.uid; });
  });
  return reference(changed).at(node);
}

TEST(TopologyReference, RandomClusters) {
  for (const auto seed : seeds()) {
    SCOPED_SEED(seed);
    const auto scenario = random_scenario(seed);
    const auto& [cluster, incoming, defaults, affinity_args, infeasible] = scenario;
    const PodTopologySpread spread(defaults.constraints, defaults.system);
    const InterPodAffinity affinity(affinity_args);
    for (const auto& snapshot : {cluster.snapshot(), by_detour(scenario, seed)}) {
      EXPECT_EQ(filter(spread, incoming, snapshot), reference_spread_filter(incoming, cluster, defaults));
      EXPECT_EQ(score(spread, incoming, snapshot, infeasible),
                reference_spread_score(incoming, cluster, defaults, infeasible));
      EXPECT_EQ(filter(affinity, incoming, snapshot), reference_affinity_filter(incoming, cluster));
      EXPECT_EQ(score(affinity, incoming, snapshot, infeasible),
                reference_affinity_score(incoming, cluster, affinity_args, infeasible));
    }
    if (testing::Test::HasFailure()) return;
  }
}

// More nodes than combinations of levels are computed for, more classes of pods than are held back, and more
// different scores than are remembered.
TEST(TopologyReference, ManyNodesAndScores) {
  Random random(7);
  TestCluster cluster;
  constexpr int kNodes = 1500, kClasses = 12;
  for (int i = 0; i < kNodes; ++i) {
    const auto name = "n" + std::to_string(i);
    cluster.nodes.push_back(
        node(name).label("kubernetes.io/hostname", name).zone("z" + std::to_string(i % 3)));
  }
  const auto near = [](const char* key) { return term(key).label("app", "a"); };
  const auto with_terms = [&](std::string name, int weight) {
    auto made = pod(std::move(name)).label("app", "a");
    made.prefer_anti_affinity(weight, near("kubernetes.io/hostname"));
    made.prefer_affinity(weight / 2, near("topology.kubernetes.io/zone"));
    return made;
  };
  for (int i = 0; i < 2 * kNodes; ++i) {
    const auto version = random.below(kClasses);
    cluster.pods.push_back(with_terms("p" + std::to_string(i), 3 + version)
                               .label("version", std::to_string(version))
                               .node("n" + std::to_string(random.below(random.below(kNodes) + 1))));
  }
  const api::Pod incoming = with_terms("incoming", 37);
  const auto want = reference_affinity_score(incoming, cluster, {}, {});
  EXPECT_EQ(score(InterPodAffinity({}), incoming, cluster.snapshot(), {}), want);
  std::set<std::int64_t> different;
  for (const auto& [name, points] : *want) different.insert(points);
  EXPECT_GT(different.size(), 10u);
}

TEST(TopologyReference, RandomDeltas) {
  for (const auto seed : seeds()) {
    SCOPED_SEED(seed);
    auto scenario = random_scenario(seed);
    auto& [cluster, incoming, defaults, affinity_args, infeasible] = scenario;
    // Terminating pods and empty selectors count in a delta, but not in a cluster.
    for (auto& pod : cluster.pods) pod.meta.deleted.reset();
    std::erase_if(incoming.topology_spread.write(),
                  [](const auto& each) { return each.label_selector && each.label_selector->empty(); });
    Random random(seed);
    const auto& node = random.of(cluster.nodes).meta.name;
    std::vector<api::Pod> added, removed;
    for (int i = random.below(3); i > 0; --i) {
      auto pod = random_pod(random, "added" + std::to_string(i));
      pod.node_name = node;
      add_affinity(pod, random, 20);
      added.push_back(std::move(pod));
    }
    for (const auto& pod : cluster.pods) {
      if (pod.node_name == node && random.chance(50)) removed.push_back(pod);
    }
    const auto snapshot = cluster.snapshot();
    const PodTopologySpread spread(defaults.constraints, defaults.system);
    EXPECT_EQ(check(spread, incoming, snapshot, node, added, removed),
              after(cluster, node, added, removed, [&](const auto& changed) {
                return reference_spread_filter(incoming, changed, defaults);
              }));
    const InterPodAffinity affinity(affinity_args);
    const auto info = cluster::make_pod_info(std::make_shared<api::Pod>(incoming));
    // A skipped plugin stays skipped, whatever the delta brings.
    if (affinity.prepare_filter(*info, snapshot).filter) {
      EXPECT_EQ(check(affinity, incoming, snapshot, node, added, removed),
                after(cluster, node, added, removed,
                      [&](const auto& changed) { return reference_affinity_filter(incoming, changed); }));
    }
    if (testing::Test::HasFailure()) return;
  }
}

// As in preemption, all pods of a node leave, and some return. A trial counts as a fresh filter does.
TEST(TopologyReference, PodsThatLeaveAndReturn) {
  for (const auto seed : seeds()) {
    SCOPED_SEED(seed);
    const auto scenario = random_scenario(seed);
    Random random(seed);
    const auto snapshot = scenario.cluster.snapshot();
    const auto incoming = cluster::make_pod_info(std::make_shared<api::Pod>(scenario.incoming));
    const PodTopologySpread spread(scenario.defaults.constraints, scenario.defaults.system);
    const InterPodAffinity affinity(scenario.affinity_args);
    const auto row = *snapshot.find_row(random.of(scenario.cluster.nodes).meta.name);
    auto nominated = random_pod(random, "nominated");
    add_affinity(nominated, random, 20);
    const std::vector<cluster::PodInfoPtr> added{
        cluster::make_pod_info(std::make_shared<api::Pod>(nominated))};
    for (const framework::FilterPlugin* plugin : {static_cast<const framework::FilterPlugin*>(&spread),
                                                  static_cast<const framework::FilterPlugin*>(&affinity)}) {
      const auto prepared = plugin->prepare_filter(*incoming, snapshot);
      if (!prepared.filter) continue;
      const auto trial = prepared.filter->try_on(row);
      trial->add(added.front());
      auto removed = snapshot.entry(row).pods;
      for (const auto& pod : removed) trial->remove(pod);
      const auto same = [&] { return trial->check() == prepared.filter->check(row, {added, removed}); };
      EXPECT_TRUE(same()) << "all have left";
      while (!removed.empty()) {
        const auto back = removed.back();
        removed.pop_back();
        trial->restore(back);
        EXPECT_TRUE(same()) << back->pod->meta.name << " is back";
        if (!random.chance(50)) continue;
        trial->remove(back);
        trial->restore(back);
        EXPECT_TRUE(same()) << back->pod->meta.name << " is back again";
      }
    }
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace podium::plugins::topology_test::topology_random_test
