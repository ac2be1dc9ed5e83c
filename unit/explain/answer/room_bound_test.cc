// The bound of the pods that nodes can take is never below what they take.
#include "explain/answer/room_bound.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/explain/answer/nodes_wanted.h"

namespace podium::explain {
namespace {

using unit::one_of;
using unit::waits;

struct Bounding {
  explicit Bounding(const unit::Pods& pods, const Places& places = {}, const cluster::Snapshot& fork = {},
                    const config::Config& config = unit::default_config())
      : profiles(config), waiters(sort_waiting(pods, profiles, {}, fork)), bound(waiters, places) {}

  std::size_t on(const char* cpu, const char* pods = "110") const {
    return bound.on_node(*test::node("n").cap("cpu", cpu).cap("memory", "8Gi").cap("pods", pods).ptr());
  }

  const QuietProfiles profiles;
  const Waiters waiters;
  const RoomBound bound;
};

unit::Pods mixed() {
  return {waits(one_of("a", 0, "3")), waits(one_of("b", 0, "1")), waits(one_of("c", 0, "2")),
          waits(one_of("d", 0, "0"))};
}

TEST(RoomBound, TheSmallestPodsByCpuAndNumber) {
  const Bounding bound(mixed());
  EXPECT_EQ(bound.on("0"), 1u) << "a pod that asks for nothing";
  EXPECT_EQ(bound.on("1"), 2u);
  EXPECT_EQ(bound.on("3"), 3u);
  EXPECT_EQ(bound.on("5900m"), 3u);
  EXPECT_EQ(bound.on("6"), 4u);
  EXPECT_EQ(bound.on("6", "2"), 2u);
  EXPECT_EQ(bound.on("6", "0"), 0u);
}

TEST(RoomBound, ByMemory) {
  const Bounding bound(
      {waits(one_of("a", 0, "1").req("memory", "6Gi")), waits(one_of("b", 0, "1").req("memory", "6Gi"))});
  EXPECT_EQ(bound.on("100"), 1u);
}

TEST(RoomBound, OnlyPodsWithoutAPlaceAndWhatIsFree) {
  auto fork = unit::nodes_of({{"n1", "4"}, {"n2", "2"}});
  unit::run_pod(fork, test::pod("runs").req("cpu", "3").node("n1"));
  EXPECT_EQ(Bounding(mixed(), {}, fork).bound.on_nodes(fork), 2u + 2u);
  // The queue's order is that of the names.
  EXPECT_EQ(Bounding(mixed(), {std::nullopt, cluster::Row{0}}, fork).bound.on_nodes(fork), 1u + 2u)
      << "the pods a, c and d are left";
}

// Each pod that asks for less than nothing would make room for another one.
TEST(RoomBound, NoneIfItWouldNotHold) {
  auto odd = mixed();
  odd.push_back(waits(one_of("odd", 0, "-5")));
  EXPECT_EQ(Bounding(odd).on("0"), 5u);
  const auto config = config::load(R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}}]
)",
                                   "config.yaml");
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(Bounding(mixed(), {}, {}, *config).on("0"), 4u);
}

}  // namespace
}  // namespace podium::explain
