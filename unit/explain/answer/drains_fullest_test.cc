// The fullest nodes after a drain.
#include <gtest/gtest.h>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

TEST(DrainsFullest, TheFullestResourceMayBeAnExtendedOne) {
  cluster::Snapshot snapshot;
  for (const auto* name : {"n1", "n2"}) {
    snapshot.set_node(test::node(name).cap("cpu", "8").cap("pods", "110").cap("example.com/gpu", "2").ptr());
  }
  const auto pod = test::pod("a").ns("shop").owner("ReplicaSet", "a").node("n1");
  unit::run_pod(snapshot, test::PodBuilder(pod).req("cpu", "4").req("example.com/gpu", "2"));
  const auto status =
      unit::ask(unit::web(R"("changes": [{"type": "DrainNode", "nodeName": "n1"}])"), snapshot);
  ASSERT_TRUE(status.answer) << status.message;
  const auto& drained = status.answer->changes.at(0);
  ASSERT_EQ(drained.fullest.size(), 1u);
  EXPECT_EQ(drained.fullest[0].node, "n2");
  EXPECT_EQ(drained.fullest[0].resource, "example.com/gpu");
  EXPECT_EQ(drained.fullest[0].percent, 100u);
}

}  // namespace
}  // namespace podium::explain
