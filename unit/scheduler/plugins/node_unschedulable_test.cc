#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::node_unschedulable_test {
namespace {

TEST(NodeUnschedulable, CordonedNodesTakeOnlyPodsThatTolerateIt) {
  const Nodes nodes{node("cordoned").unschedulable(), node("open")};
  const Answers rejected{{"cordoned", "UU; node(s) were unschedulable"}};
  const struct {
    const char* name;
    api::Pod pod;
    Answers want;
  } cases[] = {
      {"plain pod", pod("a"), rejected},
      {"tolerates the taint", pod("a").tolerate("node.kubernetes.io/unschedulable", "", "NoSchedule"), {}},
      {"tolerates the taint with every effect",
       pod("a").tolerate_exists("node.kubernetes.io/unschedulable"),
       {}},
      {"tolerates everything", pod("a").tolerate_exists(""), {}},
      {"another effect", pod("a").tolerate_exists("node.kubernetes.io/unschedulable", "NoExecute"), rejected},
      {"another value", pod("a").tolerate("node.kubernetes.io/unschedulable", "x", "NoSchedule"), rejected},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(filter(make(make_node_unschedulable), c.pod, snapshot_of(nodes)), c.want) << c.name;
  }
}

TEST(NodeUnschedulable, Hints) {
  const api::Pod rejected = pod("a").uid("1");
  const api::Pod tolerant = pod("a").uid("1").tolerate_exists("node.kubernetes.io/unschedulable");
  const api::Pod other_tolerant = pod("b").uid("2").tolerate_exists("node.kubernetes.io/unschedulable");
  const api::Pod unrelated = pod("a").uid("1").tolerate_exists("x");
  const api::Node open = node("n"), cordoned = node("n").unschedulable();
  using framework::EventResource;
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"an open node was added", node_added(open), true},
      {"a cordoned node was added", node_added(cordoned), false},
      {"a node was uncordoned", node_updated(cordoned, open), true},
      {"a node was cordoned", node_updated(open, cordoned), false},
      {"a taint came to an open node", node_updated(open, node("n").taint("k", "v", "NoSchedule")), false},
      {"the pod tolerates it now", pod_updated(EventResource::target_pod, rejected, tolerant), true},
      {"the pod tolerates something else now", pod_updated(EventResource::target_pod, rejected, unrelated),
       false},
      {"another pod tolerates it now",
       pod_updated(EventResource::unscheduled_pod, pod("b").uid("2"), other_tolerant), false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(helps(make(make_node_unschedulable), rejected, c.event), c.want) << c.name;
}

}  // namespace
}  // namespace podium::plugins::test::node_unschedulable_test
