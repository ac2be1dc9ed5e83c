#include <random>

#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::taint_toleration_test {
namespace {

const std::string kUntolerated = "UU; node(s) had untolerated taint(s)";

TEST(TaintToleration, Filter) {
  const Answers rejected{{"n", kUntolerated}};
  const struct {
    const char* name;
    api::Pod pod;
    api::Node node;
    Answers want;
  } cases[] = {
      {"no taints", pod("a"), node("n"), {}},
      {"no tolerations", pod("a"), node("n").taint("dedicated", "user1", "NoSchedule"), rejected},
      {"tolerated by value",
       pod("a").tolerate("dedicated", "user1", "NoSchedule"),
       node("n").taint("dedicated", "user1", "NoSchedule"),
       {}},
      {"another value", pod("a").tolerate("dedicated", "user2", "NoSchedule"),
       node("n").taint("dedicated", "user1", "NoSchedule"), rejected},
      {"tolerated whatever the value",
       pod("a").tolerate_exists("foo", "NoSchedule"),
       node("n").taint("foo", "bar", "NoSchedule"),
       {}},
      {"one of two is not tolerated", pod("a").tolerate_exists("foo", "NoSchedule"),
       node("n").taint("foo", "", "NoSchedule").taint("bar", "", "NoExecute"), rejected},
      {"another effect", pod("a").tolerate("foo", "bar", "PreferNoSchedule"),
       node("n").taint("foo", "bar", "NoSchedule"), rejected},
      {"every effect", pod("a").tolerate("foo", "bar"), node("n").taint("foo", "bar", "NoExecute"), {}},
      {"every key", pod("a").tolerate_exists(""), node("n").taint("foo", "bar", "NoExecute"), {}},
      {"only preferred against", pod("a"), node("n").taint("foo", "bar", "PreferNoSchedule"), {}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(filter(make(make_taint_toleration), c.pod, snapshot_of({c.node})), c.want) << c.name;
  }
}

TEST(TaintToleration, ComparisonOperatorsCountWithTheirGateOnly) {
  using Op = api::Toleration::Op;
  const struct {
    const char* name;
    Op op;
    const char *limit, *amount;
    bool tolerated;
  } cases[] = {
      {"less", Op::lt, "100", "99", true},       {"not less", Op::lt, "100", "100", false},
      {"more", Op::gt, "-5", "0", true},         {"not more", Op::gt, "5", "5", false},
      {"no number", Op::gt, "5", "fast", false}, {"leading zero", Op::gt, "5", "010", false},
      {"plus sign", Op::gt, "5", "+10", false},  {"too large", Op::gt, "5", "9223372036854775808", false},
      {"no limit", Op::lt, "", "1", false},
  };
  for (const auto& c : cases) {
    api::Pod incoming = pod("a");
    incoming.tolerations.push_back(
        {.key = "sla", .value = c.limit, .op = c.op, .effect = api::TaintEffect::no_schedule});
    const auto snapshot = snapshot_of({node("n").taint("sla", c.amount, "NoSchedule")});
    const auto on = make(make_taint_toleration, "{}", {.taint_toleration_comparison_operators = true});
    const Answers rejected{{"n", kUntolerated}};
    EXPECT_EQ(filter(on, incoming, snapshot), c.tolerated ? Answers() : rejected) << c.name;
    EXPECT_EQ(filter(make(make_taint_toleration), incoming, snapshot), rejected) << c.name;
  }
}

TEST(TaintToleration, Score) {
  const auto prefer_not = [](const char* name, std::initializer_list<const char*> keys) -> api::Node {
    auto builder = node(name);
    for (const auto* key : keys) builder.taint(key, "v", "PreferNoSchedule");
    return builder;
  };
  const struct {
    const char* name;
    api::Pod pod;
    Nodes nodes;
    Scores want;
  } cases[] = {
      {"nobody has such taints", pod("a"), {node("a"), node("b")}, {{"a", 100}, {"b", 100}}},
      {"other effects do not count",
       pod("a"),
       {node("a").taint("x", "v", "NoSchedule"), prefer_not("b", {"x"})},
       {{"a", 100}, {"b", 0}}},
      {"in proportion to the most",
       pod("a"),
       {prefer_not("a", {}), prefer_not("b", {"x"}), prefer_not("c", {"x", "y", "z"})},
       {{"a", 100}, {"b", 67}, {"c", 0}}},
      {"tolerated ones do not count",
       pod("a").tolerate("x", "v", "PreferNoSchedule").tolerate_exists("y"),
       {prefer_not("a", {"x", "y"}), prefer_not("b", {"x", "z"})},
       {{"a", 100}, {"b", 0}}},
      {"a toleration of another effect does not help",
       pod("a").tolerate("x", "v", "NoSchedule"),
       {prefer_not("a", {}), prefer_not("b", {"x"})},
       {{"a", 100}, {"b", 0}}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(score(make(make_taint_toleration), c.pod, snapshot_of(c.nodes)), c.want) << c.name;
  }
}

TEST(TaintToleration, OnlyFeasibleNodesSetTheScale) {
  const auto snapshot =
      snapshot_of({node("a").taint("x", "", "PreferNoSchedule"),
                   node("b").taint("x", "", "PreferNoSchedule").taint("y", "", "PreferNoSchedule")});
  EXPECT_EQ(score(make(make_taint_toleration), pod("p"), snapshot, {"b"}), (Scores{{"a", 0}}));
}

TEST(TaintToleration, Hints) {
  const api::Pod rejected = pod("a").uid("1").tolerate_exists("foo");
  const api::Node clean = node("n"), tolerated = node("n").taint("foo", "", "NoSchedule");
  const api::Node bad = node("n").taint("bar", "", "NoSchedule");
  using framework::EventResource;
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"a clean node was added", node_added(clean), true},
      {"a node with a tolerated taint was added", node_added(tolerated), true},
      {"a node with another taint was added", node_added(bad), false},
      {"the taint went", node_updated(bad, clean), true},
      {"the taint became a tolerated one", node_updated(bad, tolerated), true},
      {"a tolerated taint went", node_updated(tolerated, clean), false},
      {"a taint came", node_updated(clean, bad), false},
      {"the pod has a new toleration",
       pod_updated(EventResource::target_pod, rejected,
                   pod("a").uid("1").tolerate_exists("foo").tolerate_exists("bar")),
       true},
      {"another pod has one",
       pod_updated(EventResource::unscheduled_pod, pod("b").uid("2"),
                   pod("b").uid("2").tolerate_exists("bar")),
       false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(helps(make(make_taint_toleration), rejected, c.event), c.want) << c.name;
}

// Many taint sets on several chunks, compared with a check of each node.
TEST(TaintToleration, ManyTaintSets) {
  SCOPED_SEED(test_seed());
  std::mt19937_64 random(test_seed());
  const char* effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};
  Nodes nodes;
  for (int i = 0; i < 1300; ++i) {
    auto builder = node("n" + std::to_string(i));
    for (auto taints = random() % 3; taints > 0; --taints) {
      builder.taint("k" + std::to_string(random() % 6), "v" + std::to_string(random() % 2),
                    effects[random() % 3]);
    }
    nodes.push_back(builder);
  }
  const auto snapshot = snapshot_of(nodes);
  for (int round = 0; round < 20; ++round) {
    auto builder = pod("p");
    for (auto left = random() % 4; left > 0; --left) {
      builder.tolerate("k" + std::to_string(random() % 6), "v" + std::to_string(random() % 2),
                       random() % 2 ? "" : effects[random() % 3]);
    }
    const api::Pod incoming = builder;
    Answers want;
    Scores unwelcome;
    std::int64_t max = 0;
    for (const auto& node : nodes) {
      std::int64_t count = 0;
      for (const auto& taint : node.taints) {
        bool tolerated = false;
        for (const auto& toleration : incoming.tolerations) tolerated |= toleration.tolerates(taint);
        if (tolerated) continue;
        if (taint.effect == api::TaintEffect::prefer_no_schedule)
          ++count;
        else
          want[node.meta.name] = kUntolerated;
      }
      unwelcome[node.meta.name] = count;
      max = std::max(max, count);
    }
    for (auto& [name, count] : unwelcome) count = max ? 100 - 100 * count / max : 100;
    EXPECT_EQ(filter(make(make_taint_toleration), incoming, snapshot), want);
    EXPECT_EQ(score(make(make_taint_toleration), incoming, snapshot), unwelcome);
  }
}

}  // namespace
}  // namespace podium::plugins::test::taint_toleration_test
