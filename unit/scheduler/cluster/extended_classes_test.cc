#include "scheduler/cluster/extended_classes.h"
#include "api/values/device.h"

#include <gtest/gtest.h>

#include <chrono>

namespace podium::cluster {
namespace {

using namespace std::chrono_literals;
using ClassPtr = std::shared_ptr<const api::DeviceClass>;

ClassPtr device_class(std::string name, std::optional<std::string> resource,
                      std::chrono::seconds created = 0s, std::vector<std::string> selectors = {}) {
  auto made = std::make_shared<api::DeviceClass>();
  made->meta.name = std::move(name);
  made->meta.created = Wall(created);
  made->extended_resource_name = std::move(resource);
  made->selectors = std::move(selectors);
  return made;
}

std::string behind(const ExtendedClasses& classes, std::string_view resource) {
  const auto* found = classes.find(resource);
  return found ? found->meta.name : "";
}

TEST(ExtendedClasses, AClassBacksItsResourceAndItsOwnName) {
  ExtendedClasses classes;
  classes.changed(nullptr, device_class("gpu", "example.com/gpu"));
  classes.changed(nullptr, device_class("plain", std::nullopt));
  EXPECT_EQ(behind(classes, "example.com/gpu"), "gpu");
  EXPECT_EQ(behind(classes, "deviceclass.resource.kubernetes.io/gpu"), "gpu");
  EXPECT_EQ(behind(classes, "deviceclass.resource.kubernetes.io/plain"), "plain");
  EXPECT_EQ(behind(classes, "example.com/other"), "");
}

TEST(ExtendedClasses, OfTwoTheNewerThenTheLowerNameCounts) {
  const auto old = device_class("a-old", "example.com/gpu", 10s);
  const auto fresh = device_class("b-new", "example.com/gpu", 20s);
  for (const auto& [first, second] : {std::pair(old, fresh), std::pair(fresh, old)}) {
    ExtendedClasses classes;
    classes.changed(nullptr, first);
    classes.changed(nullptr, second);
    EXPECT_EQ(behind(classes, "example.com/gpu"), "b-new");
  }
  ExtendedClasses classes;
  classes.changed(nullptr, device_class("y", "example.com/gpu"));
  classes.changed(nullptr, device_class("x", "example.com/gpu"));
  classes.changed(nullptr, device_class("z", "example.com/gpu"));
  EXPECT_EQ(behind(classes, "example.com/gpu"), "x");
  EXPECT_EQ(behind(classes, "deviceclass.resource.kubernetes.io/z"), "") << "upstream leaves it out, too";
}

TEST(ExtendedClasses, WhenTheOneThatCountsGoesTheOtherDoesNotComeBack) {
  const auto old = device_class("old", "example.com/gpu", 10s),
             fresh = device_class("new", "example.com/gpu", 20s);
  ExtendedClasses classes;
  classes.changed(nullptr, old);
  classes.changed(nullptr, fresh);
  classes.changed(fresh.get(), nullptr);
  EXPECT_EQ(behind(classes, "example.com/gpu"), "");
  EXPECT_EQ(behind(classes, "deviceclass.resource.kubernetes.io/old"), "old");
}

TEST(ExtendedClasses, AClassThatChangesItsResourceLeavesTheOldOne) {
  const auto before = device_class("gpu", "example.com/gpu"), after = device_class("gpu", "example.com/card");
  ExtendedClasses classes;
  classes.changed(nullptr, before);
  classes.changed(before.get(), after);
  EXPECT_EQ(behind(classes, "example.com/gpu"), "");
  EXPECT_EQ(behind(classes, "example.com/card"), "gpu");
}

TEST(ExtendedClasses, AClassThatKeepsItsResourceStaysAsItWas) {
  const auto before = device_class("gpu", "example.com/gpu"),
             after = device_class("gpu", "example.com/gpu", 0s, {"false"});
  ExtendedClasses classes;
  classes.changed(nullptr, before);
  classes.changed(before.get(), after);
  EXPECT_EQ(classes.find("example.com/gpu"), before.get());
}

TEST(ExtendedClasses, ACopyKeepsWhatItHad) {
  ExtendedClasses classes;
  classes.changed(nullptr, device_class("gpu", "example.com/gpu"));
  const auto fork = classes;
  classes.changed(nullptr, device_class("nic", "example.com/nic"));
  EXPECT_EQ(behind(fork, "example.com/nic"), "");
  EXPECT_EQ(behind(classes, "example.com/nic"), "nic");
}

TEST(ExtendedClasses, NamesThatDevicesMayBack) {
  EXPECT_TRUE(may_be_backed_by_devices("example.com/gpu"));
  EXPECT_TRUE(may_be_backed_by_devices("deviceclass.resource.kubernetes.io/gpu"));
  for (const auto* other : {"cpu", "hugepages-2Mi", "kubernetes.io/batch", "requests.example.com/gpu"}) {
    EXPECT_FALSE(may_be_backed_by_devices(other)) << other;
  }
}

}  // namespace
}  // namespace podium::cluster
