// A call that violates a precondition of the snapshot's parts aborts.
#include <gtest/gtest.h>

#include "api/values/device.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/cluster/name_order.h"

namespace podium::cluster {
namespace {

TEST(PreconditionsDeathTest, AnIndexHasAValueOnce) {
  CowIndex<int> index;
  index.insert(1, 7);
  EXPECT_DEATH(index.insert(1, 7), "check failed at .*other != value \\(hash = 1\\)");
  EXPECT_DEATH(index.erase(1, 8), "check failed at .*found == value \\(hash = 1\\)");
  EXPECT_DEATH(index.erase(2, 7), "check failed at .*found == value \\(hash = 2\\)");
}

TEST(PreconditionsDeathTest, AnOrderIsOfTheGivenNodes) {
  const auto name_of = [](Row row) { return row == 0 ? "a" : "b"; };
  NodeMask one(1);
  one.set(0);
  auto two = one;
  two.set(1);
  NameOrder order;
  order.rows(one, name_of);
  EXPECT_DEATH(order.rows(two, name_of), "check failed at .*rows_.size\\(\\) == present.count\\(\\)");
  EXPECT_DEATH(static_cast<void>(order.without(1, name_of)),
               "check failed at .*\\(row, name_of\\(row\\) = 1, b\\)");
}

TEST(PreconditionsDeathTest, AnAllocationIsAddedBeforeItIsRemoved) {
  api::Allocation allocation;
  allocation.results.push_back({.driver = "gpu.example", .pool = "n1", .device = "gpu-0"});
  DevicesInUse in_use;
  EXPECT_DEATH(in_use.remove(allocation), "check failed at .*gpu.example, n1, gpu-0");
}

}  // namespace
}  // namespace podium::cluster
