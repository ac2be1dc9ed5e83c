#include "unit/scheduler/plugins/ask.h"

#include "scheduler/cluster/snapshot.h"

namespace podium::plugins::test::node_ports_test {
namespace {

const std::string kTaken = "U; node(s) didn't have free ports for the requested pod ports";

TEST(NodePorts, Filter) {
  const auto on = [](const char* name) { return pod(name).node("n"); };
  const Answers taken{{"n", kTaken}};
  const struct {
    const char* name;
    api::Pod pod;
    Pods placed;
    Answers want;
  } cases[] = {
      {"no ports", pod("p"), {on("a").host_port(80)}, {}},
      {"nobody there", pod("p").host_port(80), {}, {}},
      {"another port", pod("p").host_port(81), {on("a").host_port(80)}, {}},
      {"the same port", pod("p").host_port(80), {on("a").host_port(80)}, taken},
      {"another protocol", pod("p").host_port(80, "UDP"), {on("a").host_port(80)}, {}},
      {"another address",
       pod("p").host_port(80, "TCP", "10.0.0.1"),
       {on("a").host_port(80, "TCP", "10.0.0.2")},
       {}},
      {"the same address",
       pod("p").host_port(80, "TCP", "10.0.0.1"),
       {on("a").host_port(80, "TCP", "10.0.0.1")},
       taken},
      {"wants every address",
       pod("p").host_port(80, "TCP", "0.0.0.0"),
       {on("a").host_port(80, "TCP", "10.0.0.1")},
       taken},
      {"has every address", pod("p").host_port(80, "TCP", "10.0.0.1"), {on("a").host_port(80)}, taken},
      {"another protocol has every address",
       pod("p").host_port(80, "UDP", "10.0.0.1"),
       {on("a").host_port(80)},
       {}},
      {"both protocols have",
       pod("p").host_port(80, "UDP", "10.0.0.1"),
       {on("a").host_port(80).container("c").host_port(80, "UDP")},
       taken},
      {"wants one address and every one",
       pod("p").host_port(80, "TCP", "10.0.0.2").container("c").host_port(80, "TCP", "0.0.0.0"),
       {on("a").host_port(80, "TCP", "10.0.0.1")},
       taken},
      {"the second container's",
       pod("p").host_port(80).container("c").host_port(81),
       {on("a").host_port(81)},
       taken},
      {"a sidecar's", pod("p").sidecar("s").host_port(81), {on("a").host_port(81)}, taken},
      {"an init container's do not count",
       pod("p").init_container("i").host_port(81),
       {on("a").host_port(81)},
       {}},
      {"the second pod's", pod("p").host_port(80), {on("a").host_port(70), on("b").host_port(80)}, taken},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(filter(make(make_node_ports), c.pod, snapshot_of({node("n"), node("m")}, c.placed)), c.want)
        << c.name;
  }
}

TEST(NodePorts, CheckWithPodsAddedAndRemoved) {
  const auto snapshot = snapshot_of({node("n")}, {pod("a").node("n").host_port(80)});
  const auto incoming = info(pod("p").host_port(80));
  const auto plugin = make(make_node_ports);
  const auto prepared =
      dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*incoming, snapshot);
  const auto row = *snapshot.find_row("n");
  const auto placed = snapshot.entry(row).pods;
  const std::vector<cluster::PodInfoPtr> nominated{info(pod("b").host_port(80))};
  EXPECT_TRUE(prepared.filter->check(row, {}));
  EXPECT_FALSE(prepared.filter->check(row, {{}, placed}));
  EXPECT_TRUE(prepared.filter->check(row, {nominated, placed}));
}

// Behaves as upstream's set of ports, during preemption by a pod of priority 10.
TEST(NodePorts, APortGoesWithTheFirstOfThePodsThatHaveIt) {
  const auto on = [](const char* name, int priority) { return pod(name).node("n").priority(priority); };
  const auto snapshot = snapshot_of(
      {node("n")}, {on("victim", 1).host_port(80), on("returns", 1).host_port(80),
                    on("stays", 10).host_port(80), on("elsewhere", 10).host_port(80, "TCP", "10.0.0.1")});
  const auto plugin = make(make_node_ports);
  const auto row = *snapshot.find_row("n");
  const auto& placed = snapshot.entry(row).pods;
  const std::vector<cluster::PodInfoPtr> one{placed[0]}, both{placed[0], placed[1]};
  const struct {
    const char* name;
    api::Pod pod;
    std::span<const cluster::PodInfoPtr> removed;
    bool in_use;
  } cases[] = {
      {"as it is", pod("p").host_port(80, "TCP", "10.0.0.2"), {}, true},
      {"both victims gone: so is the port of the pod that stays", pod("p").host_port(80, "TCP", "10.0.0.2"),
       both, false},
      {"one is back, and its port with it", pod("p").host_port(80, "TCP", "10.0.0.2"), one, true},
      {"the same port of another address is another", pod("p").host_port(80), both, true},
  };
  for (auto c : cases) {
    c.pod.priority = 10;
    const auto incoming = info(c.pod);
    const auto prepared =
        dynamic_cast<const framework::FilterPlugin&>(*plugin).prepare_filter(*incoming, snapshot);
    EXPECT_EQ(prepared.filter->check(row, {{}, c.removed}).has_value(), c.in_use) << c.name;
  }
}

TEST(NodePorts, Hints) {
  const api::Pod rejected = pod("p").host_port(80);
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"a pod with the port is gone", pod_deleted(pod("a").node("n").host_port(80)), true},
      {"a nominated pod with the port is gone", pod_deleted(pod("a").nominated("n").host_port(80)), true},
      {"a waiting pod with the port is gone", pod_deleted(pod("a").host_port(80)), false},
      {"a pod with another port is gone", pod_deleted(pod("a").node("n").host_port(81)), false},
      {"a pod without ports is gone", pod_deleted(pod("a").node("n")), false},
      {"a node was added", node_added(node("n")), true},
      {"a node changed", node_updated(node("n"), node("n").zone("z")), false},
  };
  for (const auto& c : cases) EXPECT_EQ(helps(make(make_node_ports), rejected, c.event), c.want) << c.name;
}

}  // namespace
}  // namespace podium::plugins::test::node_ports_test
