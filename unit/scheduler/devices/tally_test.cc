// The counts of devices that reports tell.
#include "scheduler/devices/tally.h"

#include "unit/scheduler/devices/world.h"

namespace podium::devices {
namespace {

using Lines = std::vector<std::string>;

api::Device tainted(std::string name) {
  auto made = device(std::move(name));
  made.taints = {{"sick", "", api::DeviceTaintEffect::no_schedule}};
  return made;
}

World world(std::vector<api::Device> devices, std::vector<api::DeviceRequest> requests) {
  World w;
  w.slices = {slice("s", std::move(devices))};
  w.claims = {claim("c", std::move(requests))};
  return w;
}

TEST(Tally, EachDeviceHasOneState) {
  auto w = world({device("free"), device("used"), tainted("sick"), tainted("used-and-sick")}, {request("r")});
  w.in_use = {taken("used"), taken("used-and-sick")};
  EXPECT_EQ(w.tally({"n1"}), (Lines{"c/r: 4 match, 2 in use, 1 tainted, 0 too small"}));
  EXPECT_EQ(w.tally({"n2"}), (Lines{"c/r: 0 match, 0 in use, 0 tainted, 0 too small"}));
}

TEST(Tally, NamesTheRulesThatTaint) {
  auto w = world({device("a"), device("b"), device("c"), tainted("d"), device("e")}, {request("r")});
  for (const auto* name : {"a", "b", "d"})
    w.rules.push_back(taint_rule(std::string("of-") + name, api::DeviceTaintSelector{.device = name}));
  EXPECT_EQ(w.tally({"n1"}), (Lines{"c/r: 5 match, 0 in use, 3 tainted, 0 too small by of-a of-b"}))
      << "d has a taint of its own";
  for (const auto* name : {"c", "e"})
    w.rules.push_back(taint_rule(std::string("of-") + name, api::DeviceTaintSelector{.device = name}));
  EXPECT_EQ(w.tally({"n1"}), (Lines{"c/r: 5 match, 0 in use, 5 tainted, 0 too small by of-a of-b of-c"}));
}

TEST(Tally, OnlyWhatTheSelectorsChooseMatches) {
  auto w = world({device("a", {{"gpu.example.com/model", std::string("A")}}), device("without")},
                 {request("r", 1, {"device.attributes['gpu.example.com'].model == 'A'"}), request("s")});
  EXPECT_EQ(w.tally({"n1"}), (Lines{"c/r: 1 match, 0 in use, 0 tainted, 0 too small",
                                    "c/s: 2 match, 0 in use, 0 tainted, 0 too small"}))
      << "an expression that fails chooses nothing";
}

TEST(Tally, TooSmallIsCapacityThatIsNotLeft) {
  auto asking = request("r");
  asking.exactly->capacity = {{"memory", amount("8Gi")}};
  auto w = world({shared_device("large", "16Gi"), shared_device("small", "4Gi")}, {asking});
  EXPECT_EQ(w.tally({"n1"}), (Lines{"c/r: 2 match, 0 in use, 0 tainted, 1 too small"}));
  auto share = taken("large");
  share.share_id = "share";
  share.consumed_capacity = {{"memory", amount("12Gi")}};
  w.in_use = {share};
  EXPECT_EQ(w.tally({"n1"}), (Lines{"c/r: 2 match, 0 in use, 0 tainted, 2 too small"}));
}

TEST(Tally, TooSmallIsCountersThatAreNotLeft) {
  auto whole = device("whole"), half = device("half");
  whole.consumes_counters = {{"set", {{"slices", amount("2").value}}}};
  half.consumes_counters = {{"set", {{"slices", amount("1").value}}}};
  auto w = world({whole, half}, {request("r")});
  auto counters = slice("counters", {});
  counters.shared_counters = {{"set", {{"slices", amount("2").value}}}};
  w.slices.push_back(counters);
  for (auto& each : w.slices) each.pool.slice_count = 2;
  EXPECT_EQ(w.tally({"n1"}), (Lines{"c/r: 2 match, 0 in use, 0 tainted, 0 too small"}));
  w.in_use = {taken("half")};
  EXPECT_EQ(w.tally({"n1"}), (Lines{"c/r: 2 match, 1 in use, 0 tainted, 1 too small"}));
}

TEST(Tally, ADeviceOfManyNodesCountsOnce) {
  auto w = world({device("local")}, {request("r")});
  auto network = slice("network", {device("a"), device("b")});
  network.pool.name = "network";
  network.nodes = {.name = std::nullopt, .selector = std::nullopt, .all = true};
  w.slices.push_back(network);
  EXPECT_EQ(w.tally({"n1", "n2", "n3"}), (Lines{"c/r: 3 match, 0 in use, 0 tainted, 0 too small"}));
}

// A pod's devices are of one node.
TEST(Tally, SaysHowManyAPodAsksForAndHowManyOneNodeHas) {
  auto w = world({device("a")}, {request("r", 4)});
  auto network = slice("network", {device("b"), device("c")});
  network.pool.name = "network";
  network.nodes = {.name = std::nullopt, .selector = std::nullopt, .all = true};
  w.slices.push_back(network);
  w.in_use = {taken("a")};
  const std::string counts = "c/r: 3 match, 1 in use, 0 tainted, 0 too small; of 4 at most ";
  EXPECT_EQ(w.tally({"n2", "n1", "n3"}, true), Lines{counts + "2 free on n1"}) << "the first by name";
  w.in_use.clear();
  EXPECT_EQ(w.tally({"n3", "n1"}, true),
            Lines{"c/r: 3 match, 0 in use, 0 tainted, 0 too small; of 4 at most 3 free on n1"});
  auto all = request("r");
  all.exactly->mode = api::ExactRequest::Mode::all;
  w.claims = {claim("c", {all})};
  EXPECT_EQ(w.tally({"n1"}, true),
            Lines{"c/r: 3 match, 0 in use, 0 tainted, 0 too small; of 0 at most 3 free on n1"});
}

TEST(Tally, CountsEachAlternative) {
  auto one = request("r");
  const auto asked = *one.exactly;
  one.exactly.reset();
  one.first_available = {{"best", asked}, {"good", asked}};
  one.first_available[0].request.selectors = {"false"};
  EXPECT_EQ(world({device("a")}, {one}).tally({"n1"}),
            (Lines{"c/r/best: 0 match, 0 in use, 0 tainted, 0 too small",
                   "c/r/good: 1 match, 0 in use, 0 tainted, 0 too small"}));
}

TEST(Tally, CountsNothingIfItsStepsDoNotSuffice) {
  auto w = world({device("a"), device("b"), device("c")}, {request("r")});
  w.steps = 2;
  EXPECT_EQ(w.tally({"n1"}), Lines{});
}

}  // namespace
}  // namespace podium::devices
