// What a search for devices may cost, with claims that were made to cost much.
#include <fmt/format.h>

#include <chrono>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/factories.h"
#include "unit/scheduler/plugins/device_fixture.h"

namespace podium::plugins::test::search_limits_test {
namespace {

using namespace std::chrono_literals;

TEST(SearchLimits, AreCountedInSteps) {
  const auto limits = [](std::chrono::nanoseconds timeout, std::size_t nodes, bool is_hurried = false) {
    const auto made = SearchLimits::of(timeout, nodes, is_hurried);
    return std::pair(made.on_node, made.of_nodes);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(limits(10s, 1), (Pair{5'000'000, 20'010'000}));
  EXPECT_EQ(limits(0s, 5'000), (Pair{5'000'000, 70'000'000})) << "it has an end";
  EXPECT_EQ(limits(std::chrono::hours(24 * 365 * 100), 0), (Pair{5'000'000, 20'000'000}));
  EXPECT_EQ(limits(1s, 0).first, 500'000);
  EXPECT_EQ(limits(1ns, 0).first, 1);
  EXPECT_EQ(limits(10s, 5'000, true), (Pair{100'000, 5'100'000}));
  EXPECT_EQ(limits(20ms, 0, true).first, 10'000);
}

// On each node two requests want `half` devices each, all of one model: one less is there than they need, and
// some of another model. Free devices are enough, so that only trying shows it.
Snapshot riddle_on(std::size_t nodes, int half = 12) {
  Snapshot snapshot;
  for (std::size_t n = 0; n < nodes; ++n) {
    const auto name = fmt::format("n{}", n);
    snapshot.set_node(node(name).ptr());
    api::ResourceSlice slice;
    slice.meta.name = name;
    slice.driver = "d";
    slice.pool.name = name;
    slice.pool.generation = slice.pool.slice_count = 1;
    slice.nodes.name = name;
    for (int i = 0; i < 2 * half + 6; ++i) {
      api::Device device;
      device.name = fmt::format("x{}", i);
      device.attributes = {{"model", std::string(i < 2 * half - 1 ? "a" : "b")}};
      slice.devices.push_back(std::move(device));
    }
    snapshot.objects().set(podium::test::share(slice));
  }
  auto claim = claim_named("c");
  api::ExactRequest wanted;
  wanted.device_class = "gpu";
  wanted.count = half;
  claim.spec.requests = {{"r", wanted, {}}, {"s", wanted, {}}};
  claim.spec.constraints = {{{}, "d/model", std::nullopt}};
  snapshot.objects().set(podium::test::share(claim));
  snapshot.objects().set(podium::test::share(class_named("gpu")));
  return snapshot;
}

std::unique_ptr<DeviceSearch> search_of(const Snapshot& snapshot, std::chrono::nanoseconds timeout) {
  return device_search(timeout)(snapshot, {snapshot.objects().shared<api::ResourceClaim>("default", "c")});
}

TEST(SearchLimits, ARiddleIsGivenUp) {
  auto snapshot = riddle_on(2);
  const auto search = search_of(snapshot, 100ms);
  EXPECT_EQ(search->at(0).end, DevicesFound::End::timed_out);
  EXPECT_EQ(search->at(1).end, DevicesFound::End::timed_out);
  EXPECT_EQ(search->at(0).end, DevicesFound::End::timed_out) << "again";
  snapshot.set_moment({.is_hurried = true});
  EXPECT_EQ(search_of(snapshot, 10s)->at(0).end, DevicesFound::End::timed_out) << "earlier";
}

// Each node alone is searched to its end. So is the first one, whenever it is asked about.
TEST(SearchLimits, WhatIsSearchedOnAllNodesHasALimit) {
  auto snapshot = riddle_on(100, 5);
  snapshot.set_moment({.is_hurried = true});
  const auto search = search_of(snapshot, 10s);
  cluster::Row row = 0;
  while (row < 100 && search->at(row).end == DevicesFound::End::none) ++row;
  EXPECT_GT(row, 0u);
  ASSERT_LT(row, 100u);
  EXPECT_EQ(search->at(row).end, DevicesFound::End::timed_out);
  EXPECT_EQ(search->at(0).end, DevicesFound::End::none);
  EXPECT_EQ(search_of(snapshot, 10s)->at(row).end, DevicesFound::End::none);
}

}  // namespace
}  // namespace podium::plugins::test::search_limits_test
