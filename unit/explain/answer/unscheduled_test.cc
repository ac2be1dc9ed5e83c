#include "explain/workload/unscheduled.h"

#include <gtest/gtest.h>

#include "scheduler/cluster/pod_info.h"
#include "unit/support/builders.h"

namespace podium::explain {
namespace {

// A refused resize would make the spec of a pod without other statuses count as nothing.
TEST(Unschedule, APodOfANodeRequestsItsSpecAgain) {
  api::Pod pod = podium::test::pod("p").node("n");
  api::Container main;
  main.name = "main";
  main.requests = {{"cpu", *api::Quantity::parse("2")}};
  pod.containers = {main};
  pod.meta.deleted = Wall(std::chrono::seconds(1));
  pod.nominated_node = "m";
  pod.phase = "Running";
  pod.conditions = {{"PodResizePending", "True", "Infeasible", ""}};
  pod.container_statuses.emplace_back().name = "main";
  pod.container_statuses.write().back().allocated = {{"cpu", *api::Quantity::parse("1")}};
  unschedule(pod);
  EXPECT_EQ(pod.node_name + pod.nominated_node, "");
  EXPECT_EQ(pod.phase, "Pending");
  EXPECT_FALSE(pod.terminating());
  const auto info = cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
  EXPECT_EQ(info->requests.milli_cpu, 2'000);
  EXPECT_EQ(cluster::placed_requests(*info).milli_cpu, 2'000);
}

}  // namespace
}  // namespace podium::explain
