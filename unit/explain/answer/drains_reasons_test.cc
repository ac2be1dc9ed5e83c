// Why a pod of a drained node has no other place.
#include <gtest/gtest.h>

#include <string>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

TEST(Drains, SayWhyTheOtherNodesRejectAPod) {
  const auto reason = [](std::initializer_list<const char*> nodes) {
    auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}, {"n3", "1"}});
    for (const auto* name : {"n4", "n5"})
      snapshot.set_node(test::node(name).cap("cpu", "4").cap("pods", "9").unschedulable().ptr());
    unit::run_pod(snapshot,
                  test::pod("web").ns("shop").owner("ReplicaSet", "web").req("cpu", "4").node("n1"));
    unit::run_pod(snapshot,
                  test::pod("full").ns("shop").owner("ReplicaSet", "web").req("cpu", "1").node("n2"));
    for (const auto* name : nodes) snapshot.remove_node(name);
    const auto status =
        unit::ask(unit::web(R"("changes": [{"type": "DrainNode", "nodeName": "n1"}])"), snapshot);
    const auto& drained = status.answer->changes.at(0);
    return drained.pods.at(0).cause ? drained.pods.at(0).cause->code + " " + drained.pods.at(0).reason : "";
  };
  EXPECT_EQ(reason({"n3", "n4", "n5"}), "InsufficientResource Insufficient cpu");
  EXPECT_EQ(reason({"n3"}), "NodeUnschedulable node(s) were unschedulable")
      << "n4 and n5 were cordoned before";
  EXPECT_EQ(reason({"n5", "n3"}), "InsufficientResource Insufficient cpu")
      << "among equals the one with an amount, as of a pod that waits";
}

// The drained node is the only one that the pod may use, and it does not count.
TEST(Drains, SayWhyAPodOfTheDrainedNodeOnlyHasNoOtherPlace) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n3", "4"}});
  snapshot.set_node(test::node("n2").cap("cpu", "4").cap("pods", "9").label("disk", "ssd").ptr());
  unit::run_pod(
      snapshot,
      test::pod("pinned").ns("shop").owner("ReplicaSet", "web").node_selector("disk", "ssd").node("n2"));
  const auto status =
      unit::ask(unit::web(R"("changes": [{"type": "DrainNode", "nodeName": "n2"}])"), snapshot);
  const auto& pinned = status.answer->changes.at(0).pods.at(0);
  ASSERT_TRUE(pinned.cause);
  EXPECT_EQ(pinned.cause->code, "NodeSelectorMismatch");
  EXPECT_EQ(pinned.nodes, 2u);
  EXPECT_EQ(pinned.nodes_total, 2u);
}

}  // namespace
}  // namespace podium::explain
