// RecentNodes: a node gets the lists of earlier nodes that are equal to its own, and keeps all others.
#include "scheduler/live/recent_nodes.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/scheduler/live/one_list.h"

namespace podium::live {
namespace {

api::Node node_of(const std::string& name, const std::string& type, std::int64_t cpu) {
  api::Node node;
  node.meta.name = name;
  node.meta.labels = {{"kubernetes.io/hostname", name}, {"node.kubernetes.io/instance-type", type}};
  node.conditions = {{"Ready", "True"}};
  node.capacity = {{"cpu", api::Quantity::from_units(cpu)}};
  node.allocatable = {{"cpu", api::Quantity::from_units(cpu - 1)}};
  return node;
}

TEST(RecentNodes, NodesOfATypeShareTheirLists) {
  RecentNodes recent;
  const auto first = recent.shared(node_of("a", "small", 4)),
             other = recent.shared(node_of("b", "large", 32)),
             second = recent.shared(node_of("c", "small", 4));
  EXPECT_TRUE(are_one_list(first->capacity, second->capacity));
  EXPECT_TRUE(are_one_list(first->allocatable, second->allocatable));
  EXPECT_TRUE(are_one_list(first->conditions, second->conditions));
  EXPECT_FALSE(are_one_list(first->capacity, other->capacity));
  EXPECT_EQ(&(*first->meta.labels.begin()).first, &(*second->meta.labels.begin()).first)
      << "the keys of their labels";
  EXPECT_EQ(*second, node_of("c", "small", 4));
  EXPECT_EQ(*other, node_of("b", "large", 32));
}

TEST(RecentNodes, CapacityAndAllocatableThatAreEqualAreOneList) {
  RecentNodes recent;
  auto node = node_of("a", "small", 4);
  node.allocatable = {{"cpu", api::Quantity::from_units(4)}};
  const auto first = recent.shared(node), second = recent.shared(node);
  EXPECT_TRUE(are_one_list(first->capacity, first->allocatable));
  EXPECT_TRUE(are_one_list(second->capacity, first->allocatable));
  EXPECT_EQ(*second, node);
}

TEST(RecentNodes, ANodeThatDiffersKeepsItsLists) {
  RecentNodes recent;
  const auto first = recent.shared(node_of("a", "small", 4)),
             second = recent.shared(node_of("b", "small", 8));
  EXPECT_EQ(*second, node_of("b", "small", 8));
  EXPECT_EQ(*first, node_of("a", "small", 4));
}

TEST(RecentNodes, AnImageHasOneListOfNamesOnAllNodes) {
  RecentNodes recent;
  auto small = node_of("a", "small", 4), large = node_of("b", "large", 32), other = node_of("c", "small", 4);
  small.images = {{{"app@sha256:1", "app:v1"}, 10}, {{"web@sha256:1", "web:v1"}, 20}};
  large.images = {{{"web@sha256:1", "web:v1"}, 30}};
  other.images = {{{"app@sha256:1", "app:v1", "app:latest"}, 10}, {{}, 20}};
  const auto first = recent.shared(small), second = recent.shared(large), third = recent.shared(other);
  EXPECT_TRUE(are_one_list(first->images[1].names, second->images[0].names));
  EXPECT_FALSE(are_one_list(first->images[0].names, third->images[0].names));
  EXPECT_EQ(*first, small);
  EXPECT_EQ(*second, large);
  EXPECT_EQ(*third, other);
}

}  // namespace
}  // namespace podium::live
