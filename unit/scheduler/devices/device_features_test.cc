// Admin access, taints, shared counters, consumable capacity, binding conditions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/scheduler/devices/world.h"
#include "unit/support/cost.h"

namespace podium::devices {
namespace {

World with_claims(std::vector<api::Device> devices, std::vector<api::ResourceClaim> claims) {
  World made;
  made.slices = {slice("s", std::move(devices))};
  made.claims = std::move(claims);
  return made;
}

api::DeviceRequest admin(std::string name) {
  auto made = request(std::move(name));
  made.exactly->admin_access = true;
  return made;
}

TEST(AdminAccess, TakesDevicesInUseOncePerClaim) {
  auto w = with_claims({device("a")}, {claim("c", {admin("r")})});
  w.in_use = {taken("a")};
  EXPECT_EQ(w.on("n1"), "c: r=a");
  EXPECT_TRUE(w.allocations("n1").front().results.front().admin_access);
  w.claims = {claim("c", {admin("r"), admin("s")})};
  EXPECT_EQ(w.on("n1"), "none");
  w.claims = {claim("c", {admin("r")}), claim("d", {admin("r")})};
  EXPECT_EQ(w.on("n1"), "c: r=a; d: r=a");
}

TEST(AdminAccess, IsInTheWayOfTheSamePodsLaterRequests) {
  auto w = with_claims({device("a")}, {claim("c", {admin("r")}), claim("d", {request("r")})});
  EXPECT_EQ(w.on("n1"), "none");
  std::swap(w.claims[0], w.claims[1]);
  EXPECT_EQ(w.on("n1"), "d: r=a; c: r=a");
}

struct Toleration {
  std::string name;
  api::DeviceToleration toleration;
  bool tolerates;
};

TEST(Taints, KeepDevicesBackUnlessTolerated) {
  using enum api::DeviceTaintEffect;
  using Op = api::DeviceToleration::Op;
  const std::vector<Toleration> cases = {
      {"other key", {.key = "other", .op = Op::exists}, false},
      {"exists", {.key = "dead", .op = Op::exists}, true},
      {"every key", {.op = Op::exists}, true},
      {"equal", {.key = "dead", .value = "yes"}, true},
      {"other value", {.key = "dead", .value = "no"}, false},
      {"every key, other value", {.value = "no"}, false},
      {"its effect", {.key = "dead", .op = Op::exists, .effect = no_execute}, true},
      {"other effect", {.key = "dead", .op = Op::exists, .effect = no_schedule}, false},
      {"unknown operator", {.key = "dead", .value = "yes", .op = Op::other}, false},
  };
  auto tainted = device("a");
  tainted.taints = {{"dead", "yes", no_execute}};
  auto w = with_claims({tainted}, {claim("c", {request("r")})});
  EXPECT_EQ(w.on("n1"), "none");
  for (const auto& each : cases) {
    w.claims.front().spec.requests.front().exactly->tolerations = {each.toleration};
    EXPECT_EQ(w.on("n1"), each.tolerates ? "c: r=a" : "none") << each.name;
  }
  w.claims = {claim("c", {request("r")})};
  w.slices.front().devices.front().taints.front().effect = none;
  EXPECT_EQ(w.on("n1"), "c: r=a") << "only NoSchedule and NoExecute count";
  w.slices.front().devices.front().taints.front().effect = no_schedule;
  EXPECT_EQ(w.on("n1"), "none");
  w.features.taints = false;
  EXPECT_EQ(w.on("n1"), "c: r=a");
}

TEST(Taints, RulesAddTheirsToTheDevicesThatTheySelect) {
  using enum api::DeviceTaintEffect;
  auto w = with_claims({device("a"), device("b")}, {claim("c", {request("r")})});
  w.rules = {taint_rule("a", api::DeviceTaintSelector{.driver = kDriver, .pool = "pool", .device = "a"})};
  EXPECT_EQ(w.on("n1"), "c: r=b");
  w.rules[0].taint.effect = none;
  EXPECT_EQ(w.on("n1"), "c: r=a");
  w.rules[0].taint.effect = no_execute;
  EXPECT_EQ(w.on("n1"), "c: r=b");
  w.rules.push_back(taint_rule("all", api::DeviceTaintSelector()));
  EXPECT_EQ(w.on("n1"), "none");
  auto& tolerations = w.claims.front().spec.requests.front().exactly->tolerations;
  tolerations = {{.key = "sick", .op = api::DeviceToleration::Op::exists, .effect = no_schedule}};
  EXPECT_EQ(w.on("n1"), "c: r=b") << "each rule's taint needs its toleration";
  tolerations.front().effect.reset();
  EXPECT_EQ(w.on("n1"), "c: r=a");
  tolerations.clear();
  w.rules = {taint_rule("none", std::nullopt)};
  EXPECT_EQ(w.on("n1"), "c: r=a");
}

// They are looked through once for all devices, on all nodes.
TEST(Taints, ThousandsOfRulesForAllDevicesCostLittle) {
  std::vector<api::Device> devices;
  for (int i = 0; i < 100; ++i) devices.push_back(device("d" + std::to_string(i)));
  auto w = with_claims(std::move(devices), {claim("c", {request("r", 30)})});
  auto& exactly = *w.claims.front().spec.requests.front().exactly;
  exactly.tolerations = {{.key = "sick", .op = api::DeviceToleration::Op::exists}};
  for (int i = 0; i < 10'000; ++i)
    w.rules.push_back(taint_rule("rule-" + std::to_string(i), api::DeviceTaintSelector{.driver = kDriver}));
  w.steps = 15'000;
  EXPECT_NE(w.on("n1"), "out of steps");
  w.rules.push_back(taint_rule("x", api::DeviceTaintSelector{.driver = kDriver}));
  w.rules.back().taint.key = "other";
  EXPECT_EQ(w.on("n1"), "none");
}

// A pool with a slice of counters; devices consume `memory` of them.
World counted(const std::string& total, std::vector<std::pair<std::string, std::string>> devices) {
  World w;
  std::vector<api::Device> made;
  for (const auto& [name, memory] : devices) {
    made.push_back(device(name));
    made.back().consumes_counters = {{"set", {{"memory", *api::Quantity::parse(memory)}}}};
  }
  w.slices = {slice("devices", made), slice("counters", {})};
  w.slices[1].shared_counters = {{"set", {{"memory", *api::Quantity::parse(total)}}}};
  for (auto& each : w.slices) each.pool.slice_count = 2;
  w.claims = {claim("c", {request("r")})};
  return w;
}

TEST(SharedCounters, BoundTheDevicesOfAPool) {
  auto w = counted("8Gi", {{"large", "8Gi"}, {"small", "4Gi"}, {"tiny", "4Gi"}});
  EXPECT_EQ(w.on("n1"), "c: r=large");
  w.claims = {claim("c", {request("r", 2)})};
  EXPECT_EQ(w.on("n1"), "c: r=small r=tiny");
  w.in_use = {taken("small")};
  EXPECT_EQ(w.on("n1"), "none");
  w.claims = {claim("c", {request("r")})};
  EXPECT_EQ(w.on("n1"), "c: r=tiny");
}

TEST(SharedCounters, CountDevicesThatOtherNodesUse) {
  auto w = counted("8Gi", {{"here", "8Gi"}});
  w.slices.push_back(slice("elsewhere", {device("there")}));
  w.slices[2].nodes.name = "n2";
  w.slices[2].devices[0].consumes_counters = w.slices[0].devices[0].consumes_counters;
  for (auto& each : w.slices) each.pool.slice_count = 3;
  EXPECT_EQ(w.on("n1"), "c: r=here");
  w.in_use = {taken("there")};
  EXPECT_EQ(w.on("n1"), "none");
}

// A pool may have thousands of counters, and a search takes thousands of devices.
TEST(SharedCounters, ATakeLooksAtTheDevicesOwnCounters) {
  const auto prepare = [](std::size_t n) -> test::Work {
    std::vector<std::pair<std::string, std::string>> none;
    auto w = counted("8Gi", none);
    auto& counters = w.slices[1].shared_counters[0].counters;
    for (std::size_t i = 0; i < n; ++i) {
      const auto name = fmt::format("memory-{:05}", i);
      counters.emplace_back(name, *api::Quantity::parse("8Gi"));
      w.slices[0].devices.push_back(device(fmt::format("d{:05}", i)));
      w.slices[0].devices.back().consumes_counters = {{"set", {{name, *api::Quantity::parse("9Gi")}}}};
    }
    return [w = std::move(w)] { EXPECT_EQ(w.on("n1"), "none"); };
  };
  EXPECT_TRUE(test::is_linear(1000, prepare));
}

TEST(SharedCounters, ACounterWithTooLittleKeepsAllDevicesOfThePoolAway) {
  auto w = counted("8Gi", {{"large", "8Gi"}, {"small", "4Gi"}, {"other", "1Gi"}});
  auto& set = w.slices[1].shared_counters[0].counters;
  set.emplace_back("more", *api::Quantity::parse("8Gi"));
  w.slices[0].devices[2].consumes_counters = {{"set", {{"more", *api::Quantity::parse("1Gi")}}}};
  w.in_use = {taken("large")};
  EXPECT_EQ(w.on("n1"), "c: r=other");
  w.in_use = {taken("large"), taken("small")};
  EXPECT_EQ(w.on("n1"), "none");
}

TEST(SharedCounters, UnknownCountersMakeAPoolInvalid) {
  auto w = counted("8Gi", {{"a", "1Gi"}});
  w.slices[0].devices[0].consumes_counters[0].name = "no-such-set";
  EXPECT_EQ(w.on("n1"), "invalid");
  w.slices[0].devices[0].consumes_counters = {{"set", {{"no-such-counter", {}}}}};
  EXPECT_EQ(w.on("n1"), "invalid");
}

TEST(Capacity, IsSharedUntilItIsUsedUp) {
  auto w = with_claims({shared_device("a", "10Gi")}, {claim("c", {request("r")})});
  w.claims.front().spec.requests.front().exactly->capacity = {{"memory", amount("4Gi")}};
  auto share = taken("a");
  share.share_id = "1";
  share.consumed_capacity = {{"memory", amount("6Gi")}};
  w.in_use = {share};
  EXPECT_EQ(w.on("n1"), "c: r=a");
  const auto result = w.allocations("n1").front().results.front();
  EXPECT_EQ(result.share_id, "share");
  EXPECT_EQ(result.consumed_capacity, (api::ByName<api::WrittenQuantity>{{"memory", amount("4Gi")}}));
  w.in_use.front().consumed_capacity = {{"memory", amount("7Gi")}};
  EXPECT_EQ(w.on("n1"), "none");
  w.in_use = {taken("a")};
  EXPECT_EQ(w.on("n1"), "none") << "somebody has the whole device";
}

TEST(ConsumableCapacity, WithoutTheGateAShareIsTheWholeDevice) {
  auto w = with_claims({device("a")}, {claim("c", {request("r")})});
  auto share = taken("a");
  share.share_id = "1";
  w.in_use = {share};
  EXPECT_EQ(w.on("n1"), "c: r=a");
  w.features.consumable_capacity = false;
  EXPECT_EQ(w.on("n1"), "none");
}

TEST(Capacity, TwoRequestsShareADeviceAndOneDoesNot) {
  auto w = with_claims({shared_device("a", "10Gi")}, {claim("c", {request("r"), request("s")})});
  for (auto& each : w.claims.front().spec.requests) each.exactly->capacity = {{"memory", amount("5Gi")}};
  EXPECT_EQ(w.on("n1"), "c: r=a s=a");
  w.claims.front().spec.requests.pop_back();
  w.claims.front().spec.requests.front().exactly->count = 2;
  EXPECT_EQ(w.on("n1"), "none");
}

TEST(Capacity, AlsoWholeDevicesMustHaveWhatIsAsked) {
  auto small = device("small"), large = device("large");
  small.capacity = {{"memory", {.value = amount("8Gi")}}};
  large.capacity = {{"memory", {.value = amount("80Gi")}}};
  auto w = with_claims({device("without"), small, large}, {claim("c", {request("r")})});
  w.claims.front().spec.requests.front().exactly->capacity = {{"memory", amount("40Gi")}};
  EXPECT_EQ(w.on("n1"), "c: r=large");
  EXPECT_TRUE(w.allocations("n1").front().results.front().consumed_capacity.empty());
}

TEST(BindingConditions, PoolsWithThemComeLast) {
  auto slow = device("slow");
  slow.binding_conditions = {"attached"};
  World w;
  w.slices = {slice("s", {slow}), slice("t", {device("ready")})};
  w.slices[1].pool.name = "z";
  w.claims = {claim("c", {request("r")})};
  EXPECT_EQ(w.on("n1"), "c: r=ready");
  w.claims = {claim("c", {request("r", 2)})};
  EXPECT_EQ(w.on("n1"), "c: r=ready r=slow");
  EXPECT_EQ(w.allocations("n1").front().results.back().binding_conditions, slow.binding_conditions);
  w.features.binding_conditions = false;
  EXPECT_EQ(w.on("n1"), "none");
}

}  // namespace
}  // namespace podium::devices
