// A call that violates a precondition of the snapshot's parts aborts.
#include <gtest/gtest.h>

#include "api/values/device.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/cluster/name_order.h"
#include "scheduler/cluster/taint_rules.h"
#include "scheduler/cluster/taint_table.h"

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
  auto share = allocation;
  share.results.front().share_id = "a";
  in_use.add(allocation);
  EXPECT_DEATH(in_use.remove(share), "check failed at .*shares > 0.*gpu.example, n1, gpu-0");
  DevicesInUse shared;
  shared.add(share);
  EXPECT_DEATH(shared.remove(allocation), "check failed at .*exclusive > 0.*gpu.example, n1, gpu-0");
}

TEST(PreconditionsDeathTest, ARuleIsAddedBeforeItChanges) {
  api::DeviceTaintRule rule;
  rule.meta.name = "broken";
  rule.selector.emplace();
  rule.selector->driver = "gpu.example";
  auto tainted = rule;
  tainted.taint.key = "broken";
  TaintRules rules;
  const TaintRules::EachSlice no_slices = [](const auto&) {};
  const auto after = std::make_shared<const api::DeviceTaintRule>(tainted);
  EXPECT_DEATH(rules.changed(&rule, after, no_slices), "check failed at .*group.*broken");
  auto other = rule;
  other.meta.name = "another";
  rules.changed(nullptr, std::make_shared<const api::DeviceTaintRule>(other), no_slices);
  EXPECT_DEATH(rules.changed(&rule, after, no_slices), "check failed at .*name_of.*broken");
}

TEST(PreconditionsDeathTest, ATaintSetIsReleasedOnceForEachNode) {
  TaintTable table;
  const auto id = table.take({}, true);
  table.release(id);
  EXPECT_DEATH(table.release(id), "check failed at .*nodes > 0.*\\(id, sets_.size\\(\\) = 1, 2\\)");
  EXPECT_DEATH(table.release(7), "check failed at .*\\(id, sets_.size\\(\\) = 7, 2\\)");
}

}  // namespace
}  // namespace podium::cluster
