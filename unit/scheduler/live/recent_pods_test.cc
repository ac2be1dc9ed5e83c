// RecentPods: a pod gets the lists of earlier pods that are equal to its own, and keeps all others.
#include "scheduler/live/recent_pods.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/scheduler/live/one_list.h"
#include "unit/support/builders.h"

namespace podium::live {
namespace {

using test::pod;

api::Pod web(const std::string& name, const std::string& zone) {
  return pod(name)
      .label("app", "web")
      .label("topology.kubernetes.io/zone", zone)
      .owner("ReplicaSet", "web")
      .container()
      .req("cpu", "1")
      .condition("PodScheduled", "True");
}

TEST(RecentPods, PodsOfAWorkloadShareTheirListsInEachZone) {
  RecentPods recent;
  auto first = web("web-1", "a"), second = web("web-2", "b"), third = web("web-3", "a");
  const auto before = third;
  for (auto* each : {&first, &second, &third}) recent.share(*each);
  EXPECT_TRUE(are_one_list(first.containers, second.containers)) << "of one owner";
  EXPECT_FALSE(are_one_list(first.meta.labels, second.meta.labels));
  EXPECT_TRUE(are_one_list(first.meta.labels, third.meta.labels));
  EXPECT_TRUE(are_one_list(first.containers, third.containers));
  EXPECT_TRUE(are_one_list(first.conditions, third.conditions));
  EXPECT_TRUE(are_one_list(first.meta.owners, third.meta.owners));
  EXPECT_EQ(third, before);
}

TEST(RecentPods, APodWithoutAListDoesNotSeparateOthers) {
  RecentPods recent;
  auto bound = web("web-1", "a"), pending = web("web-2", "a"), next = web("web-3", "a");
  pending.conditions.clear();
  for (auto* each : {&bound, &pending, &next}) recent.share(*each);
  EXPECT_TRUE(pending.conditions.empty());
  EXPECT_TRUE(are_one_list(bound.conditions, next.conditions));
}

TEST(RecentPods, DoesNotKeepLongLists) {
  RecentPods recent;
  auto first = web("web-1", "a"), second = web("web-2", "a");
  for (auto* each : {&first, &second}) {
    each->meta.annotations = {{"a", std::string(5000, 'x')}};
    recent.share(*each);
  }
  EXPECT_FALSE(are_one_list(first.meta.annotations, second.meta.annotations));
  EXPECT_EQ(first.meta.annotations, second.meta.annotations);
}

}  // namespace
}  // namespace podium::live
