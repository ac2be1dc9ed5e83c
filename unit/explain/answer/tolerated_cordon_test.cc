// Pods that tolerate a cordon come back to the node that they have left, until it is gone.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

cluster::Snapshot tolerating_on_n1(const char* taken_on_n2) {
  auto snapshot = unit::nodes_of({{"n1", "4"}, {"n2", "4"}});
  unit::run_pod(snapshot, test::pod("t")
                              .ns("shop")
                              .uid("t")
                              .owner("ReplicaSet", "t")
                              .tolerate_exists("")
                              .req("cpu", "2")
                              .node("n1"));
  // No controller recreates it, so n2 stays.
  unit::run_pod(snapshot, test::pod("bare").ns("shop").uid("bare").req("cpu", taken_on_n2).node("n2"));
  return snapshot;
}

TEST(ToleratedCordon, ADrainSaysThatThePodComesBack) {
  const auto status =
      unit::ask(unit::web(R"("changes": [{"type": "DrainNode", "nodeName": "n1"}])"), tolerating_on_n1("3"));
  const auto& drained = status.answer->changes.at(0);
  ASSERT_EQ(drained.pods.size(), 1u);
  EXPECT_EQ(drained.pods[0].node, "n1");
  EXPECT_EQ(fmt::format("{}", fmt::join(drained.pods[0].warnings, "; ")), "tolerates the cordon of n1");
}

TEST(ToleratedCordon, ANodeGoesOnlyIfAnotherOneTakesThePod) {
  const auto could_go = [](const char* taken_on_n2) {
    const auto status = unit::ask(R"({"search": {"couldGo": {}}})", tolerating_on_n1(taken_on_n2));
    std::vector<std::string> moves;
    for (const auto& node : status.answer->nodes_spare->nodes) {
      for (const auto& pod : node.pods)
        moves.push_back(fmt::format("{}: {} to {}", node.node, pod.name, pod.node));
    }
    return fmt::format("{}", fmt::join(moves, ", "));
  };
  EXPECT_EQ(could_go("3"), "");
  EXPECT_EQ(could_go("2"), "n1: t to n2");
}

}  // namespace
}  // namespace podium::explain
