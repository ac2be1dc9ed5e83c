// How many devices of a class a node has, for the scores of extended resources.
#include "scheduler/devices/class_count.h"

#include "unit/scheduler/devices/world.h"

namespace podium::devices {
namespace {

// "all/in use" on the node.
std::string count_on(const std::string& name, const std::vector<api::ResourceSlice>& slices,
                     std::vector<std::string> selectors = {}, std::vector<api::AllocatedDevice> in_use = {}) {
  std::vector<std::shared_ptr<const api::ResourceSlice>> listed;
  for (const auto& each : slices) listed.push_back(std::make_shared<const api::ResourceSlice>(each));
  cluster::DevicesInUse allocated;
  allocated.add({.results = std::move(in_use)});
  Selectors expressions;
  auto counted = World::with_name("gpu");
  counted.selectors = std::move(selectors);
  const ClassCount count(std::make_shared<const Inventory>(listed, DeviceFeatures()), expressions, allocated,
                         counted);
  api::Node node;
  node.meta.name = name;
  node.meta.labels = {{"zone", name == "n1" ? "a" : "b"}};
  const auto here = count.on(node);
  return fmt::format("{}/{}", here.all, here.in_use);
}

api::ResourceSlice elsewhere(api::ResourceSlice slice) {
  slice.nodes = {};
  return slice;
}

TEST(ClassCount, DevicesOfTheNodeAndThoseThatItShares) {
  const auto local = slice("local", {device("a"), device("b"), device("c")});
  EXPECT_EQ(count_on("n1", {local}), "3/0");
  EXPECT_EQ(count_on("n2", {local}), "0/0");
  EXPECT_EQ(count_on("n1", {local}, {}, {taken("b")}), "3/1");
  auto shared = taken("b");
  shared.share_id = "share";
  auto admin = taken("c");
  admin.admin_access = true;
  EXPECT_EQ(count_on("n1", {local}, {}, {shared, admin}), "3/1") << "a share is use, admin access is not";

  auto everywhere = elsewhere(slice("everywhere", {device("d")}));
  everywhere.nodes.all = true;
  EXPECT_EQ(count_on("n2", {local, everywhere}, {}, {taken("d")}), "1/1");
  auto by_zone = elsewhere(slice("by-zone", {device("e"), device("f")}));
  by_zone.nodes.selector = {{{.match_expressions = {{"zone", api::Requirement::Op::in, {"a"}}}}}};
  EXPECT_EQ(count_on("n1", {local, everywhere, by_zone}), "6/0");
  EXPECT_EQ(count_on("n2", {local, everywhere, by_zone}), "1/0");

  auto each = elsewhere(slice("each", {device("g"), device("h"), device("i")}));
  each.per_device_node_selection = true;
  each.devices[0].nodes.name = "n1";
  each.devices[1].nodes.name = "n2";
  each.devices[2].nodes.all = true;
  EXPECT_EQ(count_on("n1", {each}), "2/0");
}

// Unlike the search.
TEST(ClassCount, GenerationsAndTaintsDoNotMatter) {
  auto old = slice("old", {device("a")});
  auto current = slice("current", {device("a")});
  current.pool.generation = 2;
  current.devices[0].taints.resize(1);
  EXPECT_EQ(count_on("n1", {old, current}, {}, {taken("a")}), "2/2");
}

TEST(ClassCount, OnlyDevicesOfTheClass) {
  const auto devices = slice("s", {device("a", {{"fast", true}}), device("b", {{"fast", false}})});
  const std::string is_fast = R"(device.attributes["gpu.example.com"].fast)";
  EXPECT_EQ(count_on("n1", {devices}, {is_fast}), "1/0");
  EXPECT_EQ(count_on("n1", {devices}, {is_fast, "false"}), "0/0");
  const auto unknown = slice("s", {device("a", {{"fast", true}}), device("b")});
  EXPECT_EQ(count_on("n1", {unknown}, {is_fast}), "0/0") << "an expression that fails: none";
  EXPECT_EQ(count_on("n2", {unknown}, {is_fast}), "0/0");
  EXPECT_EQ(count_on("n1", {unknown}, {"false", is_fast}), "0/0");
  EXPECT_EQ(count_on("n1", {unknown}, {"true", "no such thing("}), "0/0");
}

// As upstream, which leaves this out of what the expression sees.
TEST(ClassCount, ExpressionsSeeNoSharedUse) {
  const auto devices = slice("s", {shared_device("a", "8Gi"), device("b")});
  EXPECT_EQ(count_on("n1", {devices}, {"device.allowMultipleAllocations"}), "0/0");
  EXPECT_EQ(count_on("n1", {devices}, {"!device.allowMultipleAllocations"}), "2/0");
}

}  // namespace
}  // namespace podium::devices
