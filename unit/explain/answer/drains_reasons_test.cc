// Why a pod of a drained node has no other place.
#include <gtest/gtest.h>

#include <memory>
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

// Next to kube-scheduler, most pods are its own: podium answers with its only profile, and counts them.
TEST(Drains, TheOnlyProfileAnswersForPodsOfOtherSchedulers) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(
      snapshot,
      test::pod("web").ns("shop").owner("ReplicaSet", "web").req("cpu", "1").scheduler("other").node("n1"));
  const auto spec = unit::web(R"("changes": [{"type": "DrainNode", "nodeName": "n1"}])");
  const auto drained = unit::ask(spec, snapshot).answer->changes.at(0);
  EXPECT_EQ(drained.pods_moved, 1u);
  EXPECT_EQ(drained.pods.at(0).node, "n2");
  EXPECT_EQ(drained.of_other_schedulers, 1u);
  auto config = unit::default_config();
  auto second = std::make_shared<framework::Profile>(*config.profiles.front());
  second->scheduler_name = "second";
  config.profiles.push_back(std::move(second));
  const auto refused = unit::ask(spec, snapshot, config).answer->changes.at(0);
  EXPECT_EQ(refused.pods.at(0).code, "OtherScheduler");
  EXPECT_EQ(refused.of_other_schedulers, 0u);
}

// It comes back in the next step, when the node is empty.
TEST(Drains, APodOfAnotherSchedulerThatWaitsGetsANodeInALaterStep) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "1"}});
  unit::run_pod(
      snapshot,
      test::pod("web").ns("shop").owner("ReplicaSet", "web").req("cpu", "3").scheduler("other").node("n1"));
  const auto status = unit::ask(unit::web(R"("changes": [
      {"type": "DrainNodes", "nodeNames": ["n1"], "thenUncordon": true},
      {"type": "DrainNodes", "nodeNames": ["n2"], "thenUncordon": true}])"),
                                snapshot);
  EXPECT_EQ(status.answer->changes.at(0).pending_so_far, 1u);
  EXPECT_EQ(status.answer->changes.at(1).pending_so_far, 0u);
}

}  // namespace
}  // namespace podium::explain
