// Questions about clusters whose objects have the largest and the smallest numbers that the API server takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;

// A pod with spec.nodeName takes what the node does not have.
TEST(ExtremeNumbers, AnOvercommittedNodeHasAPercentageWithinTheCrd) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  snapshot.set_node(node("n2").cap("cpu", "4").cap("memory", "1").cap("pods", "110").ptr());
  unit::run_pod(snapshot, pod("greedy").ns("vault").req("memory", "8E").node("n2"));
  unit::run_pod(snapshot, pod("web").ns("shop").owner("ReplicaSet", "web").req("cpu", "1").node("n1"));
  const auto status =
      unit::ask(unit::web(R"("changes": [{"type": "DrainNode", "nodeName": "n1"}])"), snapshot);
  ASSERT_TRUE(status.answer) << status.message;
  const auto& drained = status.answer->changes.at(0);
  ASSERT_EQ(drained.pods_moved, 1u);
  ASSERT_EQ(drained.fullest.size(), 1u);
  EXPECT_EQ(drained.fullest[0].resource, "memory");
  EXPECT_EQ(drained.fullest[0].percent, 1'000'000'000u);
}

// The API server refuses such an amount. A dump may have it.
TEST(ExtremeNumbers, ANodeWithLessThanNothingHasNothing) {
  for (const auto* amount : {"-9223372036854775808", "-8Ei", "-1"}) {
    cluster::Snapshot snapshot;
    snapshot.set_node(node("n1").cap("cpu", amount).cap("memory", "1Gi").cap("pods", "110").ptr());
    const auto status = unit::ask(unit::web(R"("nodes": ["n1"])"), snapshot);
    ASSERT_TRUE(status.answer) << status.message;
    EXPECT_THAT(status.answer->verdicts.at(0).reasons, testing::ElementsAre("Insufficient cpu")) << amount;
  }
}

// So may a pod's requests: the sums of a node, and what it lacks, are then at either end of the numbers.
TEST(ExtremeNumbers, RequestsBelowNothingAndBeyondEverythingAreAnswered) {
  for (const auto* taken : {"-9223372036854775808", "-8Ei", "-1", "9223372036854775807"}) {
    for (const auto* has : {"-9223372036854775808", "0", "9223372036854775807"}) {
      for (const auto* resource : {"cpu", "memory", "example.com/gpu"}) {
        cluster::Snapshot snapshot;
        for (const auto* name : {"n1", "n2"}) {
          snapshot.set_node(
              node(name).cap("cpu", "4").cap("memory", "1Gi").cap("pods", "110").cap(resource, has).ptr());
        }
        unit::run_pod(snapshot,
                      pod("odd").ns("shop").owner("ReplicaSet", "odd").req(resource, taken).node("n1"));
        for (const auto* wanted : {"-9223372036854775808", "1", "9223372036854775807"}) {
          const auto status = unit::ask(pod("web").ns("shop").req(resource, wanted).build(), 2, snapshot);
          EXPECT_TRUE(status.answer) << status.message;
        }
        for (const auto* more : {R"("fixes": true, "replicas": 100)", R"("nodes": ["n1", "n2"])",
                                 R"("changes": [{"type": "DrainNode", "nodeName": "n2"}])",
                                 R"("changes": [{"type": "DrainNode", "nodeName": "n1"}])"}) {
          const auto status = unit::ask(unit::web(more), snapshot);
          EXPECT_TRUE(status.answer) << more << ": " << status.message;
        }
      }
    }
  }
}

// What NodeResourcesFit rejects lacks something: at most the largest number.
TEST(ExtremeNumbers, TheMissingAmountIsAtMostTheLargestNumber) {
  auto snapshot = unit::nodes_of({{"n1", "4"}});
  unit::run_pod(snapshot, pod("greedy").ns("vault").req("memory", "9223372036854775807").node("n1"));
  const auto status = unit::ask(pod("web").ns("shop").req("memory", "8E").build(), 1, snapshot);
  ASSERT_EQ(status.rejections.size(), 1u) << status.message;
  ASSERT_TRUE(status.rejections[0].shortfall);
  EXPECT_EQ(status.rejections[0].shortfall->resource, "memory");
  EXPECT_EQ(status.rejections[0].shortfall->least, "8589934592Gi");
}

}  // namespace
}  // namespace podium::explain
