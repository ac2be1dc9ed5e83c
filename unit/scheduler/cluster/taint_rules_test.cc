// Which DeviceTaintRules select a device, and which of their changes change a taint.
#include "scheduler/cluster/taint_rules.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "api/values/device.h"
#include "scheduler/cluster/cluster_objects.h"
#include "unit/support/builders.h"

namespace podium::cluster::taint_rules_test {
namespace {

using api::DeviceTaintSelector;
using Names = std::set<std::string>;

api::DeviceTaintRule rule(std::string name, std::optional<DeviceTaintSelector> selector,
                          std::string value = "v") {
  api::DeviceTaintRule made;
  made.meta.name = std::move(name);
  made.selector = std::move(selector);
  made.taint = {"key", std::move(value), api::DeviceTaintEffect::no_schedule};
  return made;
}

api::ResourceSlice slice(std::string name, std::string driver, std::string pool,
                         const std::vector<std::string>& devices) {
  api::ResourceSlice made;
  made.meta.name = std::move(name);
  made.driver = std::move(driver);
  made.pool.name = std::move(pool);
  for (const auto& device : devices) made.devices.emplace_back().name = device;
  return made;
}

Names rules_of(const Objects& objects, const std::string& driver, const std::string& pool,
               const std::string& device) {
  Names names;
  objects.taint_rules().each_group({driver, pool}, device, [&](const TaintRules::Group& group) {
    for (const auto& each : group) EXPECT_TRUE(names.insert(each->meta.name).second) << each->meta.name;
  });
  return names;
}

// True if this changes a taint of a device.
bool set(Objects& objects, const api::DeviceTaintRule& made) {
  const auto before = objects.taints_version();
  objects.set(podium::test::share(made));
  return objects.taints_version() != before;
}
bool remove(Objects& objects, const std::string& name) {
  const auto before = objects.taints_version();
  objects.remove<api::DeviceTaintRule>("", name);
  return objects.taints_version() != before;
}

TEST(TaintRules, AFieldThatIsNotGivenSelectsAll) {
  Objects objects;
  set(objects, rule("all", DeviceTaintSelector()));
  set(objects, rule("none", std::nullopt));
  set(objects, rule("driver", DeviceTaintSelector{.driver = "d"}));
  set(objects, rule("pool", DeviceTaintSelector{.pool = "p"}));
  set(objects, rule("device", DeviceTaintSelector{.device = "x"}));
  set(objects, rule("one", DeviceTaintSelector{.driver = "d", .pool = "p", .device = "x"}));
  set(objects, rule("empty", DeviceTaintSelector{.driver = ""}));
  EXPECT_EQ(rules_of(objects, "d", "p", "x"), (Names{"all", "driver", "pool", "device", "one"}));
  EXPECT_EQ(rules_of(objects, "d", "q", "x"), (Names{"all", "driver", "device"}));
  EXPECT_EQ(rules_of(objects, "e", "p", "y"), (Names{"all", "pool"}));
  EXPECT_EQ(rules_of(objects, "p", "d", "y"), Names{"all"}) << "a driver is not a pool";
}

TEST(TaintRules, OnlyAChangeOfATaintIsOne) {
  Objects objects;
  EXPECT_FALSE(set(objects, rule("r", DeviceTaintSelector{.driver = "d"}))) << "there are no devices";
  objects.set(podium::test::share(slice("s", "d", "p", {"x", "y"})));
  EXPECT_FALSE(set(objects, rule("r", DeviceTaintSelector{.driver = "d"}))) << "the same";
  EXPECT_TRUE(set(objects, rule("r", DeviceTaintSelector{.driver = "d"}, "w"))) << "another value";
  auto later = rule("r", DeviceTaintSelector{.driver = "d"}, "w");
  later.taint.added = Wall(std::chrono::seconds(5));
  EXPECT_TRUE(set(objects, later)) << "another time";
  later.meta.labels = {{"a", "b"}};
  EXPECT_FALSE(set(objects, later)) << "a label";
  later.selector->pool = "p";
  EXPECT_FALSE(set(objects, later)) << "the same devices";
  later.selector->device = "x";
  EXPECT_TRUE(set(objects, later)) << "y loses the taint";
  later.selector->device = "z";
  EXPECT_TRUE(set(objects, later)) << "x loses the taint";
  EXPECT_FALSE(remove(objects, "r"));
  EXPECT_FALSE(set(objects, rule("none", std::nullopt)));
  EXPECT_FALSE(remove(objects, "none"));
  EXPECT_TRUE(set(objects, rule("r", DeviceTaintSelector{.device = "x"})));
  EXPECT_TRUE(set(objects, rule("r", std::nullopt)));
  EXPECT_FALSE(remove(objects, "r"));
  EXPECT_TRUE(objects.taint_rules().empty());
}

TEST(TaintRules, DevicesComeAndGoWithTheirSlices) {
  Objects objects;
  set(objects, rule("x", DeviceTaintSelector{.device = "x"}));
  set(objects, rule("all", DeviceTaintSelector()));
  const auto changes = [&](const std::string& value) {
    return std::pair(set(objects, rule("x", DeviceTaintSelector{.device = "x"}, value)),
                     set(objects, rule("all", DeviceTaintSelector(), value)));
  };
  EXPECT_EQ(changes("1"), std::pair(false, false));
  objects.set(podium::test::share(slice("s", "d", "p", {"y"})));
  EXPECT_EQ(changes("2"), std::pair(false, true));
  objects.set(podium::test::share(slice("s", "d", "p", {"x"})));
  EXPECT_EQ(changes("3"), std::pair(true, true));
  objects.set(podium::test::share(slice("s", "d", "p", {})));
  EXPECT_EQ(changes("4"), std::pair(false, false));
  objects.set(podium::test::share(slice("s", "d", "p", {"x", "x"})));
  objects.set(podium::test::share(slice("t", "e", "p", {"x"})));
  objects.remove<api::ResourceSlice>("", "s");
  EXPECT_EQ(changes("5"), std::pair(true, true));
  auto fork = objects;
  fork.remove<api::ResourceSlice>("", "t");
  fork.remove<api::DeviceTaintRule>("", "all");
  EXPECT_EQ(rules_of(fork, "e", "p", "x"), Names{"x"});
  EXPECT_EQ(changes("6"), std::pair(true, true)) << "a fork keeps its own";
}

// Against the rules as they are written: a device has the taint of each rule that selects it.
TEST(TaintRules, ManyChangesAgainstTheRulesThemselves) {
  std::mt19937 dice(20261126);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(dice() % n); };
  const std::string drivers[] = {"d", "e"}, pools[] = {"p", "q"}, names[] = {"x", "y", "z"};
  Objects objects;
  const auto taints = [&] {
    std::multiset<std::string> all;
    for (const auto& [key, each] : objects.all<api::ResourceSlice>()) {
      for (const auto& device : each->devices) {
        for (const auto& [rule_key, one] : objects.all<api::DeviceTaintRule>()) {
          const auto& selector = one->selector;
          const bool is_of = selector && selector->driver.value_or(each->driver) == each->driver &&
                             selector->pool.value_or(each->pool.name) == each->pool.name &&
                             selector->device.value_or(device.name) == device.name;
          if (is_of) all.insert(each->meta.name + device.name + one->meta.name + one->taint.value);
        }
      }
    }
    return all;
  };
  for (int i = 0; i < 2000; ++i) {
    const auto before = taints();
    const auto version = objects.taints_version();
    const auto name = std::to_string(below(4));
    if (below(3) == 0) {
      std::vector<std::string> devices;
      for (unsigned d = below(4); d > 0; --d) devices.push_back(names[below(3)]);
      if (below(4) == 0)
        objects.remove<api::ResourceSlice>("", name);
      else
        objects.set(podium::test::share(slice(name, drivers[below(2)], pools[below(2)], devices)));
      EXPECT_EQ(objects.taints_version(), version);
    } else {
      std::optional<DeviceTaintSelector> selector;
      if (below(8) > 0) selector.emplace();
      if (selector && below(2)) selector->driver = drivers[below(2)];
      if (selector && below(2)) selector->pool = pools[below(2)];
      if (selector && below(2)) selector->device = names[below(3)];
      if (below(4) == 0)
        objects.remove<api::DeviceTaintRule>("", name);
      else
        objects.set(podium::test::share(rule(name, selector, std::to_string(below(2)))));
      // A rule's name and value tell its taints apart, so the sets differ where a taint does.
      EXPECT_EQ(objects.taints_version() != version, taints() != before) << i;
    }
    for (const auto& driver : drivers) {
      for (const auto& pool : pools) {
        for (const auto& device : names) {
          Names want;
          for (const auto& [key, one] : objects.all<api::DeviceTaintRule>()) {
            const auto& s = one->selector;
            if (s && s->driver.value_or(driver) == driver && s->pool.value_or(pool) == pool &&
                s->device.value_or(device) == device)
              want.insert(one->meta.name);
          }
          ASSERT_EQ(rules_of(objects, driver, pool, device), want) << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace podium::cluster::taint_rules_test
