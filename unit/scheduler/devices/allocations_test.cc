// What is written to a claim, besides its devices.
#include <gtest/gtest.h>

#include "unit/scheduler/devices/world.h"

namespace podium::devices {
namespace {

api::AllocatedConfiguration from(bool from_class, std::vector<std::string> requests, std::string parameters) {
  return {
      .from_class = from_class, .requests = std::move(requests), .opaque = {kDriver, std::move(parameters)}};
}

TEST(Result, ConfigurationsOfClassesThenOfTheClaim) {
  World w;
  w.slices = {slice("s", {device("a"), device("b")})};
  w.classes.at("gpu").config = {{kDriver, "1"}, {kDriver, "2"}};
  w.claims = {claim("c", {request("r"), request("s")})};
  w.claims.front().spec.config = {{.opaque = {kDriver, "3"}},
                                  {.requests = {"s", "r"}, .opaque = {kDriver, "4"}},
                                  {.requests = {"other"}, .opaque = {kDriver, "5"}}};
  // One that is for every request names none.
  const std::vector<api::AllocatedConfiguration> wanted = {from(true, {}, "1"), from(true, {}, "2"),
                                                           from(false, {}, "3"), from(false, {}, "4")};
  EXPECT_EQ(w.allocations("n1").front().config, wanted);
}

TEST(Result, ConfigurationsOfSomeRequestsNameThem) {
  World w;
  w.slices = {slice("s", {device("a"), device("b"), device("c")})};
  w.classes["other"].meta.name = "other";
  w.classes.at("gpu").config = {{kDriver, "1"}};
  auto third = request("t");
  third.exactly->device_class = "other";
  w.claims = {claim("c", {request("r"), request("s"), third})};
  w.claims.front().spec.config = {{.requests = {"s", "r"}, .opaque = {kDriver, "2"}}};
  const std::vector<api::AllocatedConfiguration> wanted = {from(true, {"r", "s"}, "1"),
                                                           from(false, {"s", "r"}, "2")};
  EXPECT_EQ(w.allocations("n1").front().config, wanted);
}

TEST(Result, OneLocalDeviceBindsTheClaimToTheNode) {
  World w;
  w.slices = {slice("s", {device("a")}), slice("t", {device("b")})};
  w.slices[0].nodes = {.all = true};
  w.slices[1].pool.name = "z";
  w.claims = {claim("c", {request("r", 2)})};
  const auto selector = w.allocations("n1").front().node_selector;
  ASSERT_TRUE(selector);
  EXPECT_EQ(selector->front().match_fields,
            (std::vector<api::Requirement>{{"metadata.name", api::Requirement::Op::in, {"n1"}}}));
  w.claims = {claim("c", {request("r")})};
  EXPECT_EQ(w.allocations("n1").front().node_selector, std::nullopt);
  w.slices[0].devices[0].binds_to_node = true;
  EXPECT_EQ(w.allocations("n1").front().node_selector, selector);
}

}  // namespace
}  // namespace podium::devices
