// The events that wake a pod which PodTopologySpread rejected.
#include <gtest/gtest.h>

#include "unit/scheduler/plugins/spread_fixture.h"

namespace podium::plugins::topology_test::pod_topology_spread_hints_test {
namespace {

using namespace spread_test;
using framework::ClusterEvent;
using framework::EventResource;

bool helps(const framework::FilterPlugin& plugin, const api::Pod& rejected, const ClusterEvent& event,
           const cluster::Snapshot& snapshot = {}) {
  const auto info = cluster::make_pod_info(share(rejected));
  for (const auto& hint : plugin.hints()) {
    if (hint.resource == event.resource && (hint.actions & event.actions))
      return hint.helps(*info, event, snapshot);
  }
  return false;
}

TEST(PodTopologySpread, HintsOnPods) {
  const auto rejected = foo().uid("me").spread(over(kZone)).build();
  const auto taints_count = foo().uid("me").spread(over(kZone).honor_node_taints()).build();
  const auto two = foo()
                       .uid("me")
                       .spread(over(kZone))
                       .spread(spread(kHostname).selector(select_where({exists("bar")})))
                       .build();
  const auto placed = [] { return pod("p").label("foo", "").node("a"); };
  struct Case {
    std::string name;
    api::Pod rejected;
    std::optional<api::Pod> before, after;
    bool want;
  };
  const std::vector<Case> cases{
      {"a matching pod is placed", rejected, {}, placed(), true},
      {"another pod is placed", rejected, {}, pod("p").node("a"), false},
      {"a pod of another namespace is placed", rejected, {}, placed().ns("o"), false},
      {"a pod appears, without a place", rejected, {}, pod("p").label("foo", ""), false},
      {"a pod is nominated", rejected, {}, pod("p").label("foo", "").nominated("a"), true},
      {"a matching pod goes", rejected, placed(), {}, true},
      {"another pod goes", rejected, pod("p").node("a"), {}, false},
      {"a nominated matching pod goes", rejected, pod("p").label("foo", "").nominated("a"), {}, true},
      {"another nominated pod goes", rejected, pod("p").nominated("a"), {}, false},
      {"a waiting pod goes", rejected, pod("p").label("foo", ""), {}, false},
      {"a waiting pod gets the label", rejected, pod("p"), pod("p").label("foo", ""), false},
      {"the label has another value", rejected, placed(), pod("p").label("foo", "x").node("a"), false},
      {"one of two constraints is concerned", two, pod("p").node("a"), pod("p").label("bar", "").node("a"),
       true},
      {"neither is", two, placed(), placed().label("x", "y"), false},
      {"the pod itself gets the label", rejected, pod("p").uid("me"), foo().uid("me"), true},
      {"the pod itself gets another label", rejected, foo().uid("me"), foo().uid("me").label("x", "y"),
       false},
      {"a pod gets the label", rejected, pod("p").node("a"), placed(), true},
      {"a pod loses the label", rejected, placed(), pod("p").node("a"), true},
      {"a label that does not matter", rejected, placed(), placed().label("x", "y"), false},
      {"the pod itself gets a toleration", rejected, foo().uid("me"), foo().uid("me").tolerate("k", "v"),
       false},
      {"and its constraint honours taints", taints_count, foo().uid("me"), foo().uid("me").tolerate("k", "v"),
       true},
  };
  for (const auto& test : cases) {
    const bool is_own = test.before && test.before->meta.uid == test.rejected.meta.uid;
    ClusterEvent event{is_own ? EventResource::target_pod : EventResource::assigned_pod, 0, {}, {}};
    if (test.before) event.before = share(*test.before);
    if (test.after) event.after = share(*test.after);
    event.actions = !test.before  ? framework::kAdd
                    : !test.after ? framework::kDelete
                                  : framework::kUpdatePodLabel | framework::kUpdatePodTolerations;
    EXPECT_EQ(helps(kNoDefaults, test.rejected, event), test.want) << test.name;
  }
}

TEST(PodTopologySpread, HintsOfDefaultConstraints) {
  const PodTopologySpread listed({spread(kZone)}, false);
  TestCluster without{four_nodes(), {}}, with{four_nodes(), {}};
  with.workloads = {service("default", "s", {{"foo", ""}})};
  const auto helps_with = [&](const TestCluster& cluster, ClusterEvent event) {
    return helps(listed, foo(), event, cluster.snapshot());
  };
  const auto placed = [](const api::Pod& pod) {
    return ClusterEvent{EventResource::assigned_pod, framework::kAdd, {}, share(pod)};
  };
  EXPECT_TRUE(helps_with(with, placed(pod("p").label("foo", "").node("a"))));
  EXPECT_FALSE(helps_with(with, placed(pod("p").node("a")))) << "its service does not select it";
  EXPECT_FALSE(helps_with(without, placed(pod("p").label("foo", "").node("a")))) << "no constraint holds";
  const auto added = [](const api::Node& node) {
    return ClusterEvent{EventResource::node, framework::kAdd, {}, share(node)};
  };
  EXPECT_TRUE(helps_with(with, added(node("n").zone("z"))));
  EXPECT_FALSE(helps_with(with, added(node("n")))) << "it lacks the key";
  EXPECT_TRUE(helps_with(without, added(node("n")))) << "no key is needed";
}

TEST(PodTopologySpread, HintsOnNodes) {
  const auto rejected = foo().spread(over(kZone)).spread(over(kHostname)).build();
  struct Case {
    std::string name;
    std::optional<api::Node> before, after;
    bool want;
  };
  const std::vector<Case> cases{
      {"a node with all keys comes", {}, node("n").zone("z"), true},
      {"a node without one comes", {}, node("n"), false},
      {"a node with all keys goes", node("n").zone("z"), {}, true},
      {"a node without one goes", node("n"), {}, false},
      {"a node gets the missing key", node("n"), node("n").zone("z"), true},
      {"a node loses a key", node("n").zone("z"), node("n"), true},
      {"a node moves", node("n").zone("y"), node("n").zone("z"), true},
      {"a node's taints change", node("n").zone("z").taint("k", "v", "NoSchedule"), node("n").zone("z"),
       true},
      {"another label changes", node("n").zone("z"), node("n").zone("z").label("x", "y"), false},
      {"taints of a node without the keys", node("n").taint("k", "v", "NoSchedule"), node("n"), false},
  };
  for (const auto& test : cases) {
    ClusterEvent event{EventResource::node, 0, {}, {}};
    if (test.before) event.before = share(*test.before);
    if (test.after) event.after = share(*test.after);
    event.actions = !test.before  ? framework::kAdd
                    : !test.after ? framework::kDelete
                                  : framework::kUpdateNodeLabel | framework::kUpdateNodeTaint;
    EXPECT_EQ(helps(kNoDefaults, rejected, event), test.want) << test.name;
  }
}

}  // namespace
}  // namespace podium::plugins::topology_test::pod_topology_spread_hints_test
