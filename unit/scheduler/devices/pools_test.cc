// Which slices count on a node.
#include <gtest/gtest.h>

#include "unit/scheduler/devices/world.h"

namespace podium::devices {
namespace {

World listed(std::vector<api::ResourceSlice> slices, std::int64_t count) {
  World w;
  for (auto& each : slices) each.pool.slice_count = count;
  w.slices = std::move(slices);
  w.claims = {claim("c", {request("r")})};
  return w;
}

TEST(Pools, OlderGenerationsDoNotCount) {
  auto w = listed({slice("old", {device("old")}), slice("new", {device("new")})}, 1);
  w.slices[1].pool.generation = 2;
  EXPECT_EQ(w.on("n1"), "c: r=new");
  w.slices[1].nodes.name = "n2";
  EXPECT_EQ(w.on("n1"), "c: r=old") << "the old one is complete on this node";
  w.slices[0].pool.slice_count = 2;
  EXPECT_EQ(w.on("n1"), "none") << "the driver is replacing the pool";
}

TEST(Pools, IncompleteOnesGiveNoDevices) {
  auto w = listed({slice("s", {device("a")})}, 2);
  EXPECT_EQ(w.on("n1"), "none");
  w.slices.push_back(slice("t", {device("b")}));
  w.slices[1].pool.slice_count = 2;
  w.slices[1].nodes.name = "n2";
  EXPECT_EQ(w.on("n1"), "c: r=a") << "the other slice is for another node";
  EXPECT_EQ(w.on("n2"), "c: r=b");
}

// Their gate is off.
TEST(Pools, SlicesWithCompatibilityGroupsDoNotCount) {
  auto w = listed({slice("s", {device("a")}), slice("t", {device("b")})}, 2);
  EXPECT_EQ(w.on("n1"), "c: r=a");
  w.slices[1].devices[0].has_compatibility_groups = true;
  EXPECT_EQ(w.on("n1"), "none") << "the pool is incomplete";
  w.claims = {claim("c", {all_of("r")})};
  EXPECT_EQ(
      w.on("n1"),
      "error: claim default/c, request r: asks for all devices, but resource pool gpu.example.com/pool is "
      "currently being updated");
  w.claims = {claim("c", {request("r")})};
  for (auto& each : w.slices) each.pool.slice_count = 1;
  EXPECT_EQ(w.on("n1"), "c: r=a");
  w.slices[1].pool.generation = 2;
  EXPECT_EQ(w.on("n1"), "c: r=a") << "complete, so a newer generation does not matter";
  w.slices[0].pool.slice_count = 2;
  EXPECT_EQ(w.on("n1"), "none") << "the driver is replacing the pool";
}

TEST(Pools, ADeviceTwiceIsInvalid) {
  auto w = listed({slice("s", {device("a"), device("a")})}, 1);
  EXPECT_EQ(w.on("n1"), "invalid");
  w.slices.push_back(slice("z", {device("b")}));
  w.slices[1].pool.name = "z";
  EXPECT_EQ(w.on("n1"), "c: r=b") << "other pools still give devices";
  auto twice = listed({slice("s", {device("a")}), slice("t", {device("a")})}, 2);
  EXPECT_EQ(twice.on("n1"), "invalid");
}

TEST(Pools, SlicesAndDevicesSelectNodes) {
  auto w = listed({slice("s", {device("a")})}, 1);
  w.labels = {{"zone", "a"}};
  w.slices[0].nodes = {.selector = {{{.match_expressions = {{"zone", api::Requirement::Op::in, {"a"}}}}}}};
  EXPECT_EQ(w.on("n7"), "c: r=a");
  EXPECT_EQ(w.allocations("n7").front().node_selector, w.slices[0].nodes.selector);
  w.labels = {{"zone", "b"}};
  EXPECT_EQ(w.on("n7"), "none");
  w.slices[0].nodes = {.all = true};
  EXPECT_EQ(w.on("n7"), "c: r=a");
  EXPECT_EQ(w.allocations("n7").front().node_selector, std::nullopt);
  w.slices[0].nodes = {};
  EXPECT_EQ(w.on("n7"), "none") << "nothing known selects nodes";
  w.slices[0].per_device_node_selection = true;
  w.slices[0].devices = {device("a"), device("b")};
  w.slices[0].devices[0].nodes.name = "n1";
  w.slices[0].devices[1].nodes.name = "n7";
  EXPECT_EQ(w.on("n7"), "c: r=b");
  EXPECT_EQ(w.allocations("n7").front().node_selector->front().match_fields.front().values,
            std::vector<std::string>{"n7"});
}

TEST(Pools, ASelectorThatCannotBeParsedFails) {
  auto w = listed({slice("s", {device("a")})}, 1);
  w.slices[0].nodes = {.selector = {{{.match_expressions = {{"zone", api::Requirement::Op::gt, {"x"}}}}}}};
  EXPECT_EQ(
      w.on("n1"),
      "error: gather pool information: failed to perform node selection for slice s: failed to parse node "
      "selector &NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{NodeSelectorTerm{MatchExpressions:"
      "[]NodeSelectorRequirement{NodeSelectorRequirement{Key:zone,Operator:Gt,Values:[x],},},MatchFields:"
      "[]NodeSelectorRequirement{},},},}: nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "
      "\"x\": for 'Gt', 'Lt' operators, the value must be an integer");
}

}  // namespace
}  // namespace podium::devices
