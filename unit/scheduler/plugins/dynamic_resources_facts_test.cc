// The facts that DynamicResources adds to reports, next to its verdicts.
#include "scheduler/framework/decision.h"
#include "scheduler/framework/profile.h"
#include "unit/scheduler/plugins/device_fixture.h"

namespace podium::plugins::test::dynamic_resources_facts_test {
namespace {

framework::ReportFacts facts(const Devices& devices, const std::vector<std::string>& claims,
                             const Snapshot& snapshot) {
  const auto plugin = plugin_with(devices);
  framework::Profile profile;
  profile.pre_filters = profile.filters = {{std::string(plugin->name()), plugin.get(), true, true}};
  return framework::evaluate(*info(pod_with(claims)), snapshot, profile).facts;
}

std::vector<std::string> lines(const std::vector<framework::GivenDevice>& devices) {
  std::vector<std::string> out;
  for (const auto& given : devices) {
    out.push_back(given.claim + " " + given.request + " " + given.driver + "/" + given.pool + "/" +
                  given.device + (given.admin_access ? " admin" : ""));
  }
  return out;
}

TEST(DynamicResourcesFacts, ThePodsDevicesOnItsNodeInTheOrderOfItsClaims) {
  auto shared = claim_named("shared");
  shared.status.allocation = allocation_of("r", "given");
  shared.status.allocation->results.front().admin_access = true;
  const auto snapshot =
      devices_of(claim_of_class("c", "gpu"), claim_of_class("d", "gpu"), shared, class_named("gpu"));
  const Devices devices{{"b", found({allocation_of("r", "first"), allocation_of("r", "second")})}};
  EXPECT_EQ(lines(facts(devices, {"c", "shared", "d"}, snapshot).devices),
            (std::vector<std::string>{"c r d/p/first", "shared r d/p/given admin", "d r d/p/second"}));
  EXPECT_EQ(lines(facts(devices, {"shared"}, snapshot).devices),
            (std::vector<std::string>{"shared r d/p/given admin"}))
      << "what it has already";
  EXPECT_TRUE(facts(devices, {}, snapshot).devices.empty());
}

TEST(DynamicResourcesFacts, CountsOnTheNodesWithoutEnoughDevices) {
  const auto snapshot = devices_of(claim_of_class("c", "gpu"), class_named("gpu"));
  const framework::DeviceTally of_one{.claim = "c", .request = "r", .matched = 1, .in_use = 1, .wanted = 1};
  auto of_two = of_one;
  of_two.matched = of_two.in_use = 2;
  EXPECT_EQ(facts({}, {"c"}, snapshot).tallies, std::vector{of_two}) << "the fake has one on each node";
  const Devices invalid{{"b", {{DevicesFound::End::invalid_pools}}}};
  EXPECT_EQ(facts(invalid, {"c"}, snapshot).tallies, std::vector{of_one}) << "not where another reason holds";
  const Devices devices{{"b", found({allocation_of("r", "x")})}};
  EXPECT_TRUE(facts(devices, {"c"}, snapshot).tallies.empty()) << "not where the pod has a node";
}

}  // namespace
}  // namespace podium::plugins::test::dynamic_resources_facts_test
