// Which devices the search chooses, and in which order it looks at them.
#include <gtest/gtest.h>

#include "api/values/node.h"
#include "unit/scheduler/devices/world.h"
#include "unit/support/cost.h"

namespace podium::devices {
namespace {

World one_claim(std::vector<api::Device> devices, std::vector<api::DeviceRequest> requests) {
  World made;
  made.slices = {slice("s", std::move(devices))};
  made.claims = {claim("c", std::move(requests))};
  return made;
}

api::Device with_numa(std::string name, std::int64_t numa) {
  return device(std::move(name), {{"numa", numa}});
}

api::Device with_model(std::string name, std::string model) {
  return device(std::move(name), {{"model", std::move(model)}});
}

constexpr auto kIsB = "device.attributes['gpu.example.com'].model == 'B'";

TEST(Search, TakesTheFirstFreeDevices) {
  auto w = one_claim({device("a"), device("b"), device("c")}, {request("r", 2)});
  EXPECT_EQ(w.on("n1"), "c: r=a r=b");
  w.in_use = {taken("a")};
  EXPECT_EQ(w.on("n1"), "c: r=b r=c");
  w.in_use = {taken("a"), taken("c")};
  EXPECT_EQ(w.on("n1"), "none");
  EXPECT_EQ(w.on("n2"), "none") << "the slice is for n1";
}

TEST(Search, OrdersPoolsAndSlicesByName) {
  World w;
  auto late = slice("s2", {device("from-s2")}), early = slice("s1", {device("from-s1")});
  late.pool.slice_count = early.pool.slice_count = 2;
  auto other = slice("s0", {device("from-z")});
  other.pool.name = "z";
  w.slices = {late, other, early};
  w.claims = {claim("c", {request("r", 3)})};
  EXPECT_EQ(w.on("n1"), "c: r=from-s1 r=from-s2 r=from-z");
}

TEST(Search, GivesBackWhatALaterRequestNeeds) {
  const auto w =
      one_claim({with_model("b1", "B"), with_model("a1", "A")}, {request("any"), request("b", 1, {kIsB})});
  EXPECT_EQ(w.on("n1"), "c: any=a1 b=b1");
}

TEST(Search, GivesBackWhatALaterClaimNeeds) {
  auto w = one_claim({with_model("b1", "B"), with_model("a1", "A")}, {request("any")});
  w.claims.push_back(claim("d", {request("b", 1, {kIsB})}));
  EXPECT_EQ(w.on("n1"), "c: any=a1; d: b=b1");
}

TEST(Search, TakesTheFirstSubrequestThatLeavesEnough) {
  api::DeviceRequest either{.name = "r"};
  either.first_available = {{"two", *request("", 2).exactly}, {"one", *request("", 1).exactly}};
  auto w = one_claim({device("a"), device("b")}, {either});
  EXPECT_EQ(w.on("n1"), "c: r/two=a r/two=b");
  w.claims = {claim("c", {either, request("more")})};
  EXPECT_EQ(w.on("n1"), "c: r/one=a more=b");
}

// Each request looks at the devices that those before it took: requests × devices.
TEST(Search, ALookCostsTheSameHoweverManyDevicesAreTaken) {
  for (const bool is_shared : {false, true}) {
    const auto prepare = [is_shared](std::size_t n) -> test::Work {
      World w;
      std::vector<api::Device> devices;
      for (std::size_t i = 0; i < n; ++i) {
        const auto name = fmt::format("d{}", i);
        devices.push_back(is_shared ? shared_device(name, "1Gi") : device(name));
        w.claims.push_back(claim(fmt::format("c{}", i), {request("r")}));
      }
      w.slices = {slice("s", std::move(devices))};
      return
          [w = std::move(w)] { EXPECT_TRUE(w.on("n1").starts_with("c0: r=d0; c1: r=d1; ")) << w.on("n1"); };
    };
    constexpr double kSquare = 4.5;
    EXPECT_TRUE(test::is_linear(100, prepare, kSquare)) << is_shared;
  }
}

// A pod may name one claim several times. Each time gets devices of its own, as upstream's allocator gives
// them, but the claim's classes and expressions are looked up once.
TEST(Search, AClaimThatIsNamedAgainIsPreparedOnce) {
  const std::vector<std::string> selectors(32, "true");
  const auto named = std::make_shared<const api::ResourceClaim>(claim("c", {request("r", 1, selectors)}));
  const api::DeviceClass gpu;
  const auto find_class = [&](std::string_view) { return &gpu; };
  const std::vector listed = {
      std::make_shared<const api::ResourceSlice>(slice("s", {device("a"), device("b"), device("c")}))};
  const Inventory inventory(listed, {});
  const cluster::DevicesInUse allocated;
  Selectors expressions;
  const Supply supply{inventory, allocated, expressions, find_class};

  Allocator twice({named, named}, supply);
  api::Node node;
  node.meta.name = "n1";
  StepBudget left{1000};
  const auto outcome = twice.allocate(node, left);
  const auto* solution = std::get_if<Solution>(&outcome);
  ASSERT_TRUE(solution);
  ASSERT_EQ(solution->size(), 2u);
  EXPECT_NE(solution->front().device, solution->back().device);

  constexpr std::size_t kTimes = 100;
  std::vector<std::shared_ptr<const api::ResourceClaim>> again(kTimes, named), others;
  for (std::size_t i = 0; i < kTimes; ++i)
    others.push_back(std::make_shared<const api::ResourceClaim>(*named));
  const auto repeated = test::cost_of([&] { const Allocator made(again, supply); });
  const auto distinct = test::cost_of([&] { const Allocator made(others, supply); });
  EXPECT_LE(repeated.steps * 2, distinct.steps) << repeated << distinct;
  EXPECT_LE(repeated.peak, distinct.peak) << repeated << distinct;
}

// Each of the claim's requests takes a place of the search, so that more than these are not prepared.
TEST(Search, APodThatNamesAClaimThousandsOfTimesIsRefused) {
  api::ResourceClaim many = claim("c", {});
  for (int i = 0; i < 32; ++i) many.spec.requests.push_back(request("r" + std::to_string(i), 1, {"true"}));
  const auto named = std::make_shared<const api::ResourceClaim>(many);
  const api::DeviceClass gpu;
  const auto find_class = [&](std::string_view) { return &gpu; };
  const Inventory inventory({}, {});
  const cluster::DevicesInUse allocated;
  Selectors expressions;
  const Supply supply{inventory, allocated, expressions, find_class};
  const auto cost_of = [&](std::size_t times) {
    const std::vector<std::shared_ptr<const api::ResourceClaim>> claims(times, named);
    return test::cost_of([&] {
      Allocator made(claims, supply);
      api::Node node;
      StepBudget steps;
      const auto outcome = made.allocate(node, steps);
      const auto* failure = std::get_if<Failure>(&outcome);
      ASSERT_TRUE(failure);
      EXPECT_EQ(failure->message, "the pod's claims ask for too many devices");
    });
  };
  const auto hundreds = cost_of(400), thousands = cost_of(8000);
  EXPECT_LE(thousands.steps, 2 * hundreds.steps) << hundreds << thousands;
  EXPECT_LE(thousands.peak, 2 * hundreds.peak) << hundreds << thousands;
}

TEST(Search, AllNeedsEveryMatchingDevice) {
  auto w = one_claim({device("a"), device("b")}, {all_of("r")});
  EXPECT_EQ(w.on("n1"), "c: r=a r=b");
  w.in_use = {taken("b")};
  EXPECT_EQ(w.on("n1"), "none");
  w.in_use = {};
  w.claims.front().spec.requests.front().exactly->selectors = {"false"};
  EXPECT_EQ(w.on("n1"), "none") << "at least one device is needed";
}

TEST(Search, AllFailsIfAPoolIsBeingUpdated) {
  auto w = one_claim({device("a")}, {all_of("r")});
  w.slices.front().pool.slice_count = 2;
  EXPECT_EQ(
      w.on("n1"),
      "error: claim default/c, request r: asks for all devices, but resource pool gpu.example.com/pool is "
      "currently being updated");
}

TEST(Search, ClaimsHave32DevicesAtMost) {
  std::vector<api::Device> devices;
  for (int i = 0; i < 40; ++i) devices.push_back(device(fmt::format("d{:02}", i)));
  EXPECT_EQ(one_claim(devices, {request("r", 33)}).on("n1"),
            "error: claim default/c, request r: adding 33 devices exceeds the claim limit of 32, with 0 "
            "already accounted for");
  EXPECT_NE(one_claim(devices, {request("r", 32)}).on("n1").find("r=d31"), std::string::npos);
  // What a choice adds is not known before.
  api::DeviceRequest either{.name = "r"};
  either.first_available = {{"many", *request("", 30).exactly}, {"few", *request("", 2).exactly}};
  const auto chosen = one_claim(devices, {request("first", 5), either}).on("n1");
  EXPECT_NE(chosen.find("r/few=d05 r/few=d06"), std::string::npos) << chosen;
}

// Upstream tries all 2^20 choices of these.
TEST(Search, TooFewDevicesAreSoonKnown) {
  std::vector<api::Device> devices;
  for (int i = 0; i < 40; ++i) devices.push_back(with_model(fmt::format("d{:02}", i), i % 2 ? "A" : "B"));
  auto w = one_claim(devices, {request("r", 21, {kIsB})});
  w.steps = 2000;
  EXPECT_EQ(w.on("n1"), "none");
  // The first request may take any of 40 devices; for each of them the second has to be tried again.
  w.claims = {claim("c", {request("any"), request("r", 21, {kIsB})})};
  w.steps = 20'000;
  EXPECT_EQ(w.on("n1"), "none");
  w.claims.front().spec.requests.back().exactly->count = 20;
  EXPECT_NE(w.on("n1").find("any=d01 r=d00 r=d02"), std::string::npos) << w.on("n1");
}

const std::string kNoModel = "error: claim default/c: selector #0 on device gpu.example.com/pool/";
const std::string kNoSuchKey =
    ": CEL runtime error: no such key: model. consider using CEL optional chaining (.? followed by "
    "orValue()) or "
    "guarding the check with has() for optional fields";

// The second request has not evaluated the first one's device, so its error is still possible.
TEST(Search, AnErrorIsMetBehindTooFewDevices) {
  auto w = one_claim({device("odd"), with_model("b", "B")}, {request("any"), request("r", 2, {kIsB})});
  EXPECT_EQ(w.on("n1"), kNoModel + "odd" + kNoSuchKey);
}

TEST(Search, MatchAttributeWantsOneValue) {
  auto w =
      one_claim({with_numa("a", 0), with_numa("b", 1), with_numa("c", 1), device("d")}, {request("r", 2)});
  w.claims.front().spec.constraints = {{.match_attribute = "gpu.example.com/numa"}};
  EXPECT_EQ(w.on("n1"), "c: r=b r=c");
  w.claims.front().spec.constraints = {{.match_attribute = "other.example.com/numa"}};
  EXPECT_EQ(w.on("n1"), "none") << "no device has it";
}

TEST(Search, DistinctAttributeWantsAnotherValueForEachDevice) {
  auto w = one_claim({with_numa("a", 0), with_numa("b", 1), with_numa("c", 0)}, {request("r"), request("s")});
  w.claims.front().spec.constraints = {{.distinct_attribute = "gpu.example.com/numa"}};
  EXPECT_EQ(w.on("n1"), "c: r=a s=b");
  w.claims = {claim("c", {request("r", 3)})};
  w.claims.front().spec.constraints = {{.distinct_attribute = "gpu.example.com/numa"}};
  EXPECT_EQ(w.on("n1"), "none");
  w.claims = {claim("c", {request("r", 2)})};
  w.claims.front().spec.constraints = {{.distinct_attribute = "gpu.example.com/numa"}};
  EXPECT_EQ(w.on("n1"), "c: r=a r=b");
}

// They match nothing while the gate DRAListTypeAttributes is off, so one device is alone.
TEST(Search, ConstraintsDoNotCompareLists) {
  const api::DeviceAttribute list = api::AttributeList<std::int64_t>{{0}};
  auto w = one_claim({device("a", {{"numa", list}}), device("b", {{"numa", list}}), with_numa("c", 0)},
                     {request("r", 2)});
  w.claims.front().spec.constraints = {{.match_attribute = "gpu.example.com/numa"}};
  EXPECT_EQ(w.on("n1"), "none");
  w.claims.front().spec.constraints = {{.distinct_attribute = "gpu.example.com/numa"}};
  EXPECT_EQ(w.on("n1"), "c: r=a r=c");
}

TEST(Search, ConstraintsNameRequests) {
  auto w = one_claim({with_numa("a", 0), with_numa("b", 1)}, {request("r"), request("s")});
  w.claims.front().spec.constraints = {{.requests = {"r"}, .match_attribute = "gpu.example.com/numa"}};
  EXPECT_EQ(w.on("n1"), "c: r=a s=b");
  w.claims.front().spec.constraints.front().requests = {"r", "s"};
  EXPECT_EQ(w.on("n1"), "none");
}

TEST(Search, AnErrorCountsOnlyWhereTheSearchComesToIt) {
  const auto selector = "device.attributes['gpu.example.com'].model == 'B'";
  const auto error = kNoModel + "without" + kNoSuchKey;
  auto w = one_claim({with_model("b1", "B"), device("without")}, {request("r", 1, {selector})});
  EXPECT_EQ(w.on("n1"), "c: r=b1") << "the first device is enough";
  w.in_use = {taken("b1")};
  EXPECT_EQ(w.on("n1"), error);
  w.in_use = {taken("without")};
  EXPECT_EQ(w.on("n1"), "c: r=b1") << "a device in use is not looked at";
  w.in_use = {taken("b1"), taken("without")};
  EXPECT_EQ(w.on("n1"), "none");
}

TEST(Search, ClassSelectorsComeFirst) {
  auto w = one_claim({with_model("a1", "A")}, {request("r", 1, {"1 / 0 == 1"})});
  w.classes.at("gpu").selectors = {kIsB};
  EXPECT_EQ(w.on("n1"), "none") << "the claim's selector is not evaluated";
  w.classes.at("gpu").selectors = {"1 / 0 == 1"};
  EXPECT_EQ(
      w.on("n1"),
      "error: class gpu: selector #0 on device gpu.example.com/pool/a1: CEL runtime error: division by zero");
}

TEST(Search, UnknownClassesFail) {
  auto w = one_claim({device("a")}, {request("r")});
  w.classes.clear();
  EXPECT_EQ(w.on("n1"),
            "error: claim default/c, request r: could not retrieve device class gpu: "
            "deviceclass.resource.k8s.io \"gpu\" not found");
}

TEST(Search, EndsWhenItsStepsAreUsedUp) {
  std::vector<api::Device> devices;
  for (int i = 0; i < 30; ++i) devices.push_back(device(fmt::format("d{}", i)));
  auto w = one_claim(devices, {request("r", 15), request("never", 1, {"false"})});
  EXPECT_EQ(w.on("n1"), "out of steps") << "there are 155117520 ways to choose the first 15";
  w.steps = 20;
  w.claims = {claim("c", {request("r", 1, {"[1, 2, 3].all(x, [1, 2, 3].all(y, x + y > 0))"})})};
  EXPECT_EQ(w.on("n1"), "out of steps") << "expressions cost what they take";
}

TEST(Search, ManyClaimsDoNotTakeTheStack) {
  auto w = one_claim({device("a")}, {});
  w.claims.assign(20000, claim("c", {}));
  w.steps = 100'000'000;
  EXPECT_EQ(w.on("n1"), "error: the pod's claims ask for too many devices");
}

}  // namespace
}  // namespace podium::devices
