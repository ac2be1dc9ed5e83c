// What is in use, the environment of expressions, and how much of a capacity a request takes.
#include <gtest/gtest.h>

#include "scheduler/devices/capacity.h"
#include "scheduler/devices/cel_device.h"
#include "unit/scheduler/devices/world.h"

namespace podium::devices {
namespace {

api::Allocation share_of(std::string device, const std::string& memory, std::string id) {
  auto result = taken(std::move(device));
  result.share_id = std::move(id);
  result.consumed_capacity = {{"memory", amount(memory)}};
  return {.results = {result}};
}

TEST(DevicesInUse, AddsUpAndTakesAway) {
  const cluster::PoolId pool(kDriver, "pool");
  cluster::DevicesInUse allocated;
  auto admin = taken("admin");
  admin.admin_access = true;
  allocated.add({.results = {admin}});
  EXPECT_EQ(allocated.find(pool), nullptr) << "admin access does not count";
  allocated.add({.results = {taken("a")}});
  allocated.add(share_of("b", "1Gi", "1"));
  allocated.add(share_of("b", "2Gi", "2"));
  const auto before = allocated;
  EXPECT_EQ(before.find(pool)->find("a")->exclusive, 1);
  EXPECT_EQ(before.find(pool)->find("b")->consumed,
            (cluster::DeviceAmounts{{"memory", *api::Quantity::parse("3Gi")}}));
  allocated.remove(share_of("b", "1Gi", "1"));
  EXPECT_EQ(allocated.find(pool)->find("b")->consumed,
            (cluster::DeviceAmounts{{"memory", *api::Quantity::parse("2Gi")}}));
  allocated.remove(share_of("b", "2Gi", "2"));
  EXPECT_EQ(allocated.find(pool)->find("b"), nullptr);
  allocated.remove({.results = {taken("a")}});
  EXPECT_EQ(allocated.find(pool), nullptr);
  EXPECT_EQ(before.find(pool)->find("b")->shares, 2) << "a fork keeps what it has";
}

TEST(DevicesInUse, FollowsClaims) {
  const cluster::PoolId pool(kDriver, "pool");
  api::ResourceClaim waiting, given;
  given.status.allocation = {.results = {taken("a")}};
  auto moved = given;
  moved.status.allocation->results = {taken("b")};
  cluster::DevicesInUse in_use;
  in_use.changed(nullptr, &waiting);
  EXPECT_EQ(in_use.find(pool), nullptr);
  in_use.changed(&waiting, &given);
  in_use.changed(&given, &given);
  ASSERT_NE(in_use.find(pool), nullptr);
  EXPECT_EQ(in_use.find(pool)->find("a")->exclusive, 1);
  in_use.changed(&given, &moved);
  EXPECT_EQ(in_use.find(pool)->find("a"), nullptr);
  EXPECT_EQ(in_use.find(pool)->find("b")->exclusive, 1);
  in_use.changed(&moved, nullptr);
  EXPECT_EQ(in_use.find(pool), nullptr);
}

struct Selected {
  std::string expression, want;
};

TEST(Expression, SeesTheDevice) {
  auto gpu = device("a", {{"dra.example.com/numa", std::int64_t{1}},
                          {"model", std::string("H100")},
                          {"version", api::SemanticVersion{"1.2.3"}}});
  gpu.capacity = {{"memory", {.value = amount("80Gi")}}};
  gpu.allow_multiple_allocations = true;
  const std::vector<Selected> cases = {
      {"device.driver == 'gpu.example.com'", "yes"},
      {"device.attributes['gpu.example.com'].model == 'H100'", "yes"},
      {"device.attributes['dra.example.com'].numa == 1", "yes"},
      {"device.attributes['gpu.example.com'].version.isGreaterThan(semver('1.2.2'))", "yes"},
      {"device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) == 0", "yes"},
      {"device.allowMultipleAllocations", "yes"},
      {"'numa' in device.attributes['gpu.example.com']", "no"},
      {"'x' in device.attributes['unknown.example.com']", "no"},
      {"device.attributes['gpu.example.com'].numa == 1", "no such key: numa"},
      {"device.attributes['gpu.example.com'].model",
       "CEL result of type string could not be converted to bool: unsupported native conversion from string "
       "to "
       "'bool'"},
  };
  for (const auto& [text, want] : cases) {
    const Expression expression(text);
    ASSERT_EQ(expression.compile_error(), "") << text;
    StepBudget steps;
    const auto answer = expression.evaluate(gpu, kDriver, steps);
    const auto got = answer.match == Match::error ? answer.error : answer.match == Match::yes ? "yes" : "no";
    EXPECT_EQ(got, want) << text;
  }
  gpu.attributes = {{"bools", api::AttributeList<bool>{{true}}},
                    {"ints", api::AttributeList<std::int64_t>{{1, 2}}},
                    {"none", api::AttributeList<std::string>{}},
                    {"strings", api::AttributeList<std::string>{{"a", "b"}}},
                    {"versions", api::AttributeList<api::SemanticVersion>{{{"1.2.3"}}}}};
  for (const auto* text :
       {"ints.sum() == 3", "bools[0]", "'b' in device.attributes['gpu.example.com'].strings",
        "versions[0].isLessThan(semver('1.2.4'))", "ints.includes(2)", "none.size() == 0"}) {
    std::string all(text);
    if (!all.contains("device.")) all = "device.attributes['gpu.example.com']." + all;
    StepBudget unlimited;
    const auto answer = Expression(all).evaluate(gpu, kDriver, unlimited);
    EXPECT_EQ(answer.match, Match::yes) << all << ": " << answer.error;
  }
  gpu.attributes.back().second = api::AttributeList<api::SemanticVersion>{{{"1.2.3"}, {"v1"}}};
  StepBudget few;
  EXPECT_EQ(Expression("true").evaluate(gpu, kDriver, few).error.substr(0, 46),
            "attribute versions: parse semantic version: No");
  gpu.attributes = {{"version", api::SemanticVersion{"v1"}}};
  StepBudget steps;
  EXPECT_EQ(Expression("true").evaluate(gpu, kDriver, steps).error.substr(0, 45),
            "attribute version: parse semantic version: No")
      << "all attributes are converted first";
  EXPECT_NE(Expression("nothing.known").compile_error(), "");
}

TEST(Selectors, KeepsThoseAskedForLast) {
  Selectors selectors(2);
  const auto first = selectors.expression("true");
  const auto second = selectors.expression("false");
  EXPECT_EQ(selectors.expression("true"), first);
  selectors.expression("1 == 1");
  EXPECT_EQ(selectors.expression("true"), first);
  EXPECT_NE(selectors.expression("false"), second);
}

TEST(Selectors, KeepFewBytes) {
  Selectors selectors(1000, 500'000);
  const auto first = std::weak_ptr(selectors.expression("device.driver.matches('a')"));
  for (int i = 0; i < 100; ++i) {
    const auto text = "device.driver.matches('b" + std::to_string(i) + "')";
    StepBudget steps;
    EXPECT_TRUE(selectors.expression(text)->prepare(steps));
    selectors.expression(text);  // now it is counted with its program
  }
  EXPECT_TRUE(first.expired());
}

// "\\pL{100}" is nine bytes, and a program of most of a megabyte.
TEST(Expression, CompilingIsPaidByWhoNeedsItFirst) {
  const auto gpu = device("a");
  const Expression large(R"(device.driver.matches("\\pL{100}x{1}"))");
  StepBudget few{10'000};
  EXPECT_EQ(large.evaluate(gpu, kDriver, few).match, Match::unknown);
  EXPECT_LT(few.left, 0);
  StepBudget steps;
  const auto before = steps.left;
  EXPECT_EQ(large.evaluate(gpu, kDriver, steps).match, Match::no);
  EXPECT_GT(before - steps.left, 0);
  StepBudget again{10'000};
  EXPECT_EQ(large.evaluate(gpu, kDriver, again).match, Match::no) << "it is known now";

  // An expression of many large patterns never ends in time, and never fails for it.
  std::string all = "false";
  for (int i = 0; i < 60; ++i) all += " || device.driver.matches(\"\\\\pL{" + std::to_string(60 + i) + "}\")";
  const Expression many(all);
  for (int i = 0; i < 3; ++i) {
    StepBudget limited{5'000'000};
    EXPECT_EQ(many.evaluate(gpu, kDriver, limited).match, Match::unknown);
    EXPECT_GT(limited.left, -10'000'000) << "it stops soon after its last step";
  }
  StepBudget one{1000};
  EXPECT_TRUE(Expression("true").prepare(one));
  EXPECT_LT(one.left, 1000);
}

TEST(Inventory, KeepsWhatIsKnownOfASliceThatStays) {
  const auto kept = std::make_shared<const api::ResourceSlice>(slice("s", {device("a")}));
  const std::vector slices = {kept};
  const Inventory before(slices, {});
  const Inventory after(slices, {}, &before);
  const auto* known = before.of_node("n1").front().slices.front();
  EXPECT_EQ(after.of_node("n1").front().slices.front(), known);
  const Inventory rebuilt(slices, {});
  EXPECT_NE(rebuilt.of_node("n1").front().slices.front(), known);
}

struct Asked {
  std::string name;
  std::optional<std::string> asked;
  std::string taken;  // empty: refused
};

TEST(Capacity, RequestsAreRoundedUpAsThePolicySays) {
  api::CapacityPolicy range, values;
  range.fallback = amount("2Gi");
  range.valid_range = {.min = amount("1Gi"), .max = amount("4Gi"), .step = amount("512Mi")};
  values.fallback = amount("1Gi");
  values.valid_values = {amount("1Gi"), amount("4Gi")};
  const auto check = [](const std::optional<api::CapacityPolicy>& policy, const std::vector<Asked>& cases) {
    auto gpu = device("a");
    gpu.capacity = {{"memory", {.value = amount("10Gi"), .policy = policy}}};
    for (const auto& each : cases) {
      api::ByName<api::WrittenQuantity> asked;
      if (each.asked) asked.emplace_back("memory", amount(*each.asked));
      const auto fits = fits_capacity(asked, gpu, nullptr, nullptr);
      if (!fits) {
        EXPECT_EQ("error: " + fits.error(), each.taken) << each.name;
        continue;
      }
      EXPECT_EQ(*fits, !each.taken.empty()) << each.name;
      if (*fits) {
        EXPECT_EQ(consumed_capacity(asked, gpu).front().second.text, each.taken) << each.name;
      }
    }
  };
  check(std::nullopt, {{"nothing", std::nullopt, "10Gi"},
                       {"some", "3Gi", "3Gi"},
                       {"written in its own way", "1000m", "1"},
                       {"too much", "11Gi", ""}});
  check(range, {{"default", std::nullopt, "2Gi"},
                {"less than the least", "1", "1Gi"},
                {"between steps", "1100Mi", "1536Mi"},
                {"bytes", "1610612736", "1536Mi"},
                {"more than a number holds", "9Ei",
                 "error: capacity \"memory\": capacity request cannot be represented in the device's range "
                 "arithmetic: rounding request 9223372036854775807 up to the next step passes MaxInt64"},
                {"the next step is more than that", "9223372036854775807",
                 "error: capacity \"memory\": capacity request cannot be represented in the device's range "
                 "arithmetic: rounding request 9223372036854775807 up to the next step passes MaxInt64"},
                {"more than the most", "4097Mi", ""}});
  api::CapacityPolicy decimal = range;
  decimal.fallback = amount("2");
  decimal.valid_range = {.min = amount("1"), .max = amount("8k"), .step = amount("1k")};
  check(decimal, {{"in the format of the step", "1500", "2001"}});
  check(values,
        {{"default", std::nullopt, "1Gi"}, {"the next", "2Gi", "4Gi"}, {"none is enough", "5Gi", ""}});
}

}  // namespace
}  // namespace podium::devices
