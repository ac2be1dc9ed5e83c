#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include "scheduler/plugins/shared/factories.h"
#include "unit/scheduler/plugins/spread_fixture.h"

namespace podium::plugins::topology_test::pod_topology_spread_test {
namespace {

using namespace spread_test;

const std::string kSkewed = "U: node(s) didn't match pod topology spread constraints";
const std::string kMissing =
    "UU: node(s) didn't match pod topology spread constraints (missing required label)";

const PodTopologySpread kSystemDefaults({spread(kHostname).max_skew(3).schedule_anyway(),
                                         spread(kZone).max_skew(5).schedule_anyway()},
                                        true);

std::vector<api::Pod> foo_on(std::initializer_list<std::string> nodes) {
  std::vector<api::Pod> pods;
  for (const auto& name : nodes) {
    pods.push_back(pod("p" + std::to_string(pods.size())).label("foo", "").node(name));
  }
  return pods;
}

struct FilterCase {
  std::string name;
  TestCluster cluster;
  api::Pod pod;
  Verdicts want;
};

std::vector<FilterCase> filter_cases() {
  auto with_terminating = foo_on({"a", "a", "x"});
  with_terminating[0].meta.deleted = Wall{};
  with_terminating[1].meta.deleted = Wall{};
  auto elsewhere = foo_on({"a", "a", "x"});
  for (auto& each : elsewhere) each.meta.namespace_ = "other";
  std::vector<api::Node> no_zone{node("a").zone("zone1"), node("b")};
  std::vector<api::Node> tainted{node("a"), node("b").taint("k", "v", "NoSchedule"),
                                 node("c").taint("k", "v", "PreferNoSchedule")};
  return {
      {"no constraint",
       {four_nodes(), foo_on({"a", "a"})},
       foo(),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"soft constraints do not filter",
       {four_nodes(), foo_on({"a", "a"})},
       foo().spread(over(kZone).schedule_anyway()),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"even zones",
       {four_nodes(), foo_on({"a", "x"})},
       foo().spread(over(kZone)),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"one zone ahead",
       {four_nodes(), foo_on({"a", "b", "x"})},
       foo().spread(over(kZone)),
       {{"a", kSkewed}, {"b", kSkewed}, {"x", ""}, {"y", ""}}},
      {"a pod that its own selector does not match counts for nothing",
       {four_nodes(), foo_on({"a", "b", "x"})},
       pod("incoming").label("bar", "").spread(over(kZone)),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"max skew",
       {four_nodes(), foo_on({"a", "b", "x"})},
       foo().spread(over(kZone).max_skew(2)),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"by host",
       {four_nodes(), foo_on({"a", "b", "x"})},
       foo().spread(over(kHostname)),
       {{"a", kSkewed}, {"b", kSkewed}, {"x", kSkewed}, {"y", ""}}},
      {"both keys must agree",
       {four_nodes(), foo_on({"a", "a", "b", "x"})},
       foo().spread(over(kZone)).spread(over(kHostname)),
       {{"a", kSkewed}, {"b", kSkewed}, {"x", kSkewed}, {"y", ""}}},
      {"no key", {no_zone, foo_on({"a"})}, foo().spread(over(kZone)), {{"a", ""}, {"b", kMissing}}},
      {"a key nobody has",
       {four_nodes(), {}},
       foo().spread(over("rack")),
       {{"a", kMissing}, {"b", kMissing}, {"x", kMissing}, {"y", kMissing}}},
      {"nodes that lack another constraint's key do not count",
       {no_zone, foo_on({"a"})},
       foo().spread(over(kHostname)).spread(over(kZone)),
       {{"a", ""}, {"b", kMissing}}},
      {"terminating pods do not count",
       {four_nodes(), with_terminating},
       foo().spread(over(kZone)),
       {{"a", ""}, {"b", ""}, {"x", kSkewed}, {"y", kSkewed}}},
      {"nor do pods of other namespaces",
       {four_nodes(), elsewhere},
       foo().spread(over(kZone)),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"an empty selector counts no placed pod, but the pod itself",
       {four_nodes(), foo_on({"a", "a", "x"})},
       foo().spread(spread(kZone).selector(select_all())),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"an absent selector matches nothing",
       {four_nodes(), foo_on({"a", "a", "x"})},
       foo().spread(spread(kZone)),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"fewer domains than minDomains: the minimum is 0",
       {four_nodes(), foo_on({"a", "x"})},
       foo().spread(over(kZone).min_domains(3)),
       {{"a", kSkewed}, {"b", kSkewed}, {"x", kSkewed}, {"y", kSkewed}}},
      {"enough domains for minDomains",
       {four_nodes(), foo_on({"a", "x"})},
       foo().spread(over(kZone).min_domains(2)),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"node affinity narrows the domains",
       {four_nodes(), foo_on({"a"})},
       foo().node_selector(kZone, "zone1").spread(over(kHostname)),
       {{"a", kSkewed}, {"b", ""}, {"x", ""}, {"y", ""}}},
      {"unless it is ignored",
       {four_nodes(), foo_on({"a", "b"})},
       foo().node_selector(kZone, "zone1").spread(over(kHostname).ignore_node_affinity()),
       {{"a", kSkewed}, {"b", kSkewed}, {"x", ""}, {"y", ""}}},
      {"taints are ignored by default",
       {tainted, foo_on({"a", "c"})},
       foo().spread(over(kHostname)),
       {{"a", kSkewed}, {"b", ""}, {"c", kSkewed}}},
      {"honoured NoSchedule taints take nodes out",
       {tainted, foo_on({"a", "c"})},
       foo().spread(over(kHostname).honor_node_taints()),
       {{"a", ""}, {"b", ""}, {"c", ""}}},
      {"unless they are tolerated",
       {tainted, foo_on({"a", "c"})},
       foo().tolerate("k", "v").spread(over(kHostname).honor_node_taints()),
       {{"a", kSkewed}, {"b", ""}, {"c", kSkewed}}},
      {"matchLabelKeys narrow the selector",
       {four_nodes(), {pod("p").label("foo", "").label("rev", "1").node("a")}},
       foo().label("rev", "2").spread(over(kZone).match_label_keys({"rev", "absent"})),
       {{"a", ""}, {"b", ""}, {"x", ""}, {"y", ""}}},
  };
}

TEST(PodTopologySpread, Filter) {
  for (const auto& test : filter_cases()) {
    EXPECT_EQ(filter(kNoDefaults, test.pod, test.cluster.snapshot()), test.want) << test.name;
  }
}

TEST(PodTopologySpread, FeatureGates) {
  const std::vector<api::Node> rated{node("a").taint("sla", "90", "NoSchedule"), node("b")};
  auto tolerant = foo().spread(over(kHostname).honor_node_taints()).build();
  tolerant.tolerations.push_back({.key = "sla", .value = "95", .op = api::Toleration::Op::lt});
  const struct {
    const char* name;
    TestCluster cluster;
    api::Pod pod;
    framework::Features features;
    Verdicts want;
  } cases[] = {
      {"without matchLabelKeys",
       {four_nodes(), {pod("p").label("foo", "").label("rev", "1").node("a")}},
       foo().label("rev", "2").spread(over(kZone).match_label_keys({"rev"})),
       {.match_label_keys_in_pod_topology_spread = false},
       {{"a", kSkewed}, {"b", kSkewed}, {"x", ""}, {"y", ""}}},
      {"without comparison a node is not counted",
       {rated, foo_on({"b"})},
       tolerant,
       {},
       {{"a", ""}, {"b", ""}}},
      {"with comparison it is",
       {rated, foo_on({"b"})},
       tolerant,
       {.taint_toleration_comparison_operators = true},
       {{"a", ""}, {"b", kSkewed}}},
  };
  for (const auto& test : cases) {
    const PodTopologySpread plugin({}, false, test.features);
    EXPECT_EQ(filter(plugin, test.pod, test.cluster.snapshot()), test.want) << test.name;
  }
}

TEST(PodTopologySpread, CheckWithPodsAddedAndRemoved) {
  const auto pods = foo_on({"a", "a", "x"});
  const auto snapshot = TestCluster{four_nodes(), pods}.snapshot();
  const auto in_zones = foo().spread(over(kZone)).build();
  const api::Pod terminating = pod("t").label("foo", "").node("a").terminating();
  struct Case {
    std::string name, node;
    std::vector<api::Pod> added, removed;
    std::string want;
  };
  const std::vector<Case> cases{
      {"as it is", "a", {}, {}, kSkewed},
      {"a victim makes room", "a", {}, {pods[0]}, ""},
      {"only on its own node's domain", "x", {}, {}, ""},
      {"an added pod takes room", "x", foo_on({"x"}), {}, ""},
      {"two take more",
       "x",
       {pod("1").label("foo", "").node("x"), pod("2").label("foo", "").node("x")},
       {},
       kSkewed},
      {"a removed pod lowers the minimum, which raises no skew of its own domain", "x", {}, {pods[2]}, ""},
      {"a terminating pod counts here", "x", {terminating, terminating}, {}, kSkewed},
      {"pods of other namespaces do not",
       "x",
       {pod("1").ns("o").label("foo", ""), pod("2").ns("o").label("foo", "")},
       {},
       ""},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(check(kNoDefaults, in_zones, snapshot, test.node, test.added, test.removed), test.want)
        << test.name;
  }
  const auto with_empty_selector = foo().spread(spread(kZone).selector(select_all())).build();
  EXPECT_EQ(check(kNoDefaults, with_empty_selector, snapshot, "a", foo_on({"a"}), {}), kSkewed)
      << "an empty selector counts pods that are added, but none that are there";
}

struct ScoreCase {
  std::string name;
  TestCluster cluster;
  api::Pod pod;
  std::vector<std::string> infeasible;
  Scores want;
};

using Map = std::map<std::string, std::int64_t>;

// Expected raw scores: sum of count * ln(domains + 2) + maxSkew - 1, rounded.
// Expected scores: 100 * (max + min - raw) / max.
std::vector<ScoreCase> score_cases() {
  const auto soft_zone = [] { return over(kZone).schedule_anyway(); };
  const auto soft_host = [] { return over(kHostname).schedule_anyway(); };
  std::vector<api::Node> unlabelled{node("a").zone("zone1"), node("b"),
                                    node("c").no_hostname().zone("zone2")};
  return {
      {"no constraint", {four_nodes(), foo_on({"a"})}, foo(), {}, std::nullopt},
      {"hard constraints do not score",
       {four_nodes(), foo_on({"a"})},
       foo().spread(over(kZone)),
       {},
       std::nullopt},
      {"no pods",
       {four_nodes(), {}},
       foo().spread(soft_zone()),
       {},
       Map{{"a", 100}, {"b", 100}, {"x", 100}, {"y", 100}}},
      // raw: 4 * ln 4 = 5.5 -> 6, 1 * ln 4 = 1.4 -> 1
      {"zones",
       {four_nodes(), foo_on({"a", "a", "b", "b", "x"})},
       foo().spread(soft_zone()),
       {},
       Map{{"a", 16}, {"b", 16}, {"x", 100}, {"y", 100}}},
      // raw: 2 * ln 6 = 3.6 -> 4, 1 * ln 6 = 1.8 -> 2, 0
      {"hosts",
       {four_nodes(), foo_on({"a", "a", "b", "x"})},
       foo().spread(soft_host()),
       {},
       Map{{"a", 0}, {"b", 50}, {"x", 50}, {"y", 100}}},
      // raw: 2 * ln 4 = 2.8 -> 3, 1 * ln 4 = 1.4 -> 1: two hosts are feasible
      {"only feasible nodes make up the size",
       {four_nodes(), foo_on({"a", "a", "b", "x"})},
       foo().spread(soft_host()),
       {"x", "y"},
       Map{{"a", 33}, {"b", 100}}},
      // raw: 2 * ln 5 + 4 = 7.2 -> 7, 1 * ln 5 + 4 = 5.6 -> 6, 4: three hosts are feasible
      {"maxSkew waters differences down",
       {four_nodes(), foo_on({"a", "a", "b"})},
       foo().spread(soft_host().max_skew(5)),
       {"x"},
       Map{{"a", 57}, {"b", 71}, {"y", 100}}},
      {"nodes without a key get 0, and have no part",
       {unlabelled, foo_on({"a", "b", "b", "c", "c"})},
       foo().spread(soft_zone()).spread(soft_host()),
       {},
       Map{{"a", 100}, {"b", 0}, {"c", 0}}},
      {"nobody has the key",
       {four_nodes(), {}},
       foo().spread(spread("rack").schedule_anyway()),
       {},
       Map{{"a", 0}, {"b", 0}, {"x", 0}, {"y", 0}}},
      // zone1 has 2 (a's pods; the selector leaves zone2 out): raw a, b 2 * ln 4 -> 3, x, y 0
      {"pods on nodes out of reach do not count",
       {four_nodes(), foo_on({"a", "a", "x", "x", "x"})},
       foo().node_selector(kZone, "zone1").spread(soft_zone()),
       {},
       Map{{"a", 0}, {"b", 0}, {"x", 100}, {"y", 100}}},
      {"but do for the host's own count",
       {four_nodes(), foo_on({"a", "a", "x", "x", "x"})},
       foo().node_selector(kZone, "zone1").spread(soft_host()),
       {},
       Map{{"a", 20}, {"b", 100}, {"x", 0}, {"y", 100}}},
  };
}

TEST(PodTopologySpread, Score) {
  for (const auto& test : score_cases()) {
    EXPECT_EQ(score(kNoDefaults, test.pod, test.cluster.snapshot(), test.infeasible), test.want) << test.name;
  }
}

TEST(PodTopologySpread, DefaultConstraints) {
  using Kind = api::Workload::Kind;
  std::vector<api::Node> nodes{node("a").zone("zone1"), node("b").zone("zone1"), node("c")};
  const TestCluster plain{nodes, foo_on({"a", "b", "c"})};
  auto with = [&](std::vector<api::Workload> workloads) {
    auto cluster = plain;
    cluster.workloads = std::move(workloads);
    return cluster;
  };
  const auto with_service = with({service("default", "s", {{"foo", ""}})});
  const auto of_set = foo().owner("ReplicaSet", "rs").build();
  // hosts: ln 5 * 1 + 2; zones: zone1 has 2, ln 4 * 2 + 4; raw a, b 10.4 -> 10, c 3.6 -> 4
  const Map spread_out{{"a", 40}, {"b", 40}, {"c", 100}};
  struct Case {
    std::string name;
    TestCluster cluster;
    api::Pod pod;
    Scores want;
  };
  const std::vector<Case> cases{
      {"nothing selects the pod", plain, foo(), std::nullopt},
      {"a service; nodes without a zone have a part", with_service, foo(), spread_out},
      {"a service of another namespace", with({service("other", "s", {{"foo", ""}})}), foo(), std::nullopt},
      {"a service that does not select it", with({service("default", "s", {{"bar", ""}})}), foo(),
       std::nullopt},
      {"a service that selects everything adds nothing", with({service("default", "s", {})}), foo(),
       std::nullopt},
      {"its replica set", with({workload(Kind::replica_set, "default", "rs", select_where({exists("foo")}))}),
       of_set, spread_out},
      {"a replica set of that name in another group",
       with({workload(Kind::replica_set, "default", "rs", select_where({exists("foo")}))}),
       foo().owner("ReplicaSet", "rs", "example.com/v1"), std::nullopt},
      {"its stateful set",
       with({workload(Kind::stateful_set, "default", "ss", select_where({exists("foo")}))}),
       foo().owner("StatefulSet", "ss"), spread_out},
      {"its replication controller",
       with({workload(Kind::replication_controller, "default", "rc", select_labels({{"foo", ""}}))}),
       foo().owner("ReplicationController", "rc", "v1"), spread_out},
      {"own constraints replace the defaults", with_service, foo().spread(over(kZone)), std::nullopt},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(score(kSystemDefaults, test.pod, test.cluster.snapshot()), test.want) << test.name;
  }

  const PodTopologySpread listed({spread(kZone)}, false);
  EXPECT_EQ(filter(listed, foo(), with_service.snapshot()),
            (Verdicts{{"a", ""}, {"b", ""}, {"c", kMissing}}));
  EXPECT_EQ(filter(listed, foo(), plain.snapshot()), (Verdicts{{"a", ""}, {"b", ""}, {"c", ""}}));
}

// With upstream's built-in defaults, an empty zone label and no zone label are one domain.
TEST(PodTopologySpread, EmptyZoneIsTheDomainOfNodesWithoutOne) {
  TestCluster cluster{{node("a").zone(""), node("b"), node("c").zone("zone1")}, foo_on({"a", "b", "b"})};
  cluster.workloads = {service("default", "s", {{"foo", ""}})};
  // hosts (3 of them): a 1.6 + 2, b 3.2 + 2, c 2; zones (2 of them): a 3 * 1.39 + 4, b is left out, c 4
  EXPECT_EQ(score(kSystemDefaults, foo(), cluster.snapshot()), (Map{{"a", 41}, {"b", 100}, {"c", 91}}));
}

TEST(PodTopologySpread, Arguments) {
  const auto zone_only = R"({"defaultingType": "List", "defaultConstraints": [
      {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}]})";
  TestCluster cluster{four_nodes(), foo_on({"a", "x", "x", "x"})};
  cluster.workloads = {service("default", "s", {{"foo", ""}})};
  const auto scores = [&](const char* args) {
    const auto plugin = make_pod_topology_spread(boost::json::parse(args).as_object());
    return score(dynamic_cast<const framework::ScorePlugin&>(*plugin), foo(), cluster.snapshot());
  };
  EXPECT_EQ(scores(zone_only), (Map{{"a", 100}, {"b", 100}, {"x", 25}, {"y", 25}}));
  EXPECT_EQ(scores(R"({"defaultingType": "List", "defaultConstraints": []})"), std::nullopt);
  EXPECT_EQ(scores(R"({"defaultingType": "System"})"), score(kSystemDefaults, foo(), cluster.snapshot()));
  EXPECT_EQ(make_pod_topology_spread(
                boost::json::parse(R"({"defaultingType": "List", "defaultConstraints": [7]})").as_object()),
            nullptr);
}

}  // namespace
}  // namespace podium::plugins::topology_test::pod_topology_spread_test
