// Searches for devices that know what earlier ones found, compared with searches that know nothing, while
// claims, nodes, slices, classes and taint rules change, and with forks in between.
#include <gtest/gtest.h>

#include <random>

#include "scheduler/plugins/dynamic_resources/search_memo.h"
#include "unit/scheduler/plugins/device_fixture.h"
#include "unit/support/seed.h"

namespace podium::plugins::test::search_memo_test {
namespace {

constexpr auto kGpu = "gpu.example.com";

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  Snapshot start() {
    Snapshot s;
    for (std::size_t i = 0; i < kNodes; ++i) set_node(s, i);
    for (std::size_t i = 0; i < kPools; ++i) set_slice(s, i);
    set_class(s);
    return s;
  }

  void step(Snapshot& s) {
    const auto kind = below(100);
    if (kind < 60) {
      change_use(s);
    } else if (kind < 75) {
      set_node(s, below(kNodes));
    } else if (kind < 82) {
      set_slice(s, below(kPools));
    } else if (kind < 86) {
      set_class(s);
    } else if (kind < 90) {
      change_rule(s);
    }
  }

  // Few different specs, each of claims with many names.
  std::vector<ClaimPtr> claims() {
    std::vector<ClaimPtr> made;
    for (auto n = 1 + below(2); n > 0; --n) {
      auto claim = claim_of_class("wanted-" + std::to_string(++named_), "gpu");
      claim.spec.requests.front().exactly->count = static_cast<std::int64_t>(1 + below(2));
      if (chance(50)) claim.spec.requests.front().exactly->selectors = {model_is(chance(50) ? "a" : "b")};
      made.push_back(podium::test::share(claim));
    }
    if (chance(5)) made.push_back(made.front());
    return made;
  }

 private:
  // The last two pools are in reach of the nodes of a rack, and of all.
  static constexpr std::size_t kNodes = 5, kPools = kNodes + 2, kDevices = 4;

  static std::string model_is(const std::string& model) {
    return fmt::format("device.attributes['{}'].model == '{}'", kGpu, model);
  }
  static std::string name(std::size_t node) { return "n" + std::to_string(node); }
  static std::string pool(std::size_t index) { return "p" + std::to_string(index); }

  void set_node(Snapshot& s, std::size_t i) {
    s.set_node(node(name(i)).label("rack", chance(50) ? "a" : "b").ptr());
  }
  void set_slice(Snapshot& s, std::size_t i) {
    api::ResourceSlice slice;
    slice.meta.name = "slice-" + pool(i);
    slice.driver = kGpu;
    slice.pool = {.name = pool(i), .generation = ++generation_, .slice_count = chance(90) ? 1 : 2};
    if (i < kNodes) {
      slice.nodes.name = name(i);
    } else if (i == kNodes) {
      slice.nodes.selector = {podium::test::node_term({podium::test::in("rack", {"a"})})};
    } else {
      slice.nodes.all = true;
    }
    for (std::size_t d = 0; d < kDevices; ++d) {
      auto& device = slice.devices.emplace_back();
      device.name = "d" + std::to_string(d);
      device.attributes = {{"model", std::string(chance(50) ? "a" : "b")}};
    }
    s.objects().set(podium::test::share(slice));
  }
  void set_class(Snapshot& s) {
    auto made = class_named("gpu");
    if (chance(50))
      made.selectors = {chance(50) ? std::string("device.driver == 'gpu.example.com'") : model_is("a")};
    s.objects().set(podium::test::share(made));
  }
  void change_use(Snapshot& s) {
    auto claim = claim_named("used-" + std::to_string(below(12)), std::to_string(++version_));
    if (chance(40)) return s.objects().remove<api::ResourceClaim>("default", claim.meta.name);
    api::Allocation allocation;
    for (auto n = 1 + below(2); n > 0; --n) {
      allocation.results.push_back({.request = "r",
                                    .driver = kGpu,
                                    .pool = pool(below(kPools)),
                                    .device = "d" + std::to_string(below(kDevices))});
    }
    claim.status.allocation = std::move(allocation);
    s.objects().set(podium::test::share(claim));
  }
  void change_rule(Snapshot& s) {
    if (chance(60)) return s.objects().remove<api::DeviceTaintRule>("", "rule");
    api::DeviceTaintRule rule;
    rule.meta.name = "rule";
    rule.selector = api::DeviceTaintSelector{.driver = kGpu, .pool = pool(below(kPools))};
    rule.taint = {"sick", "", api::DeviceTaintEffect::no_schedule};
    s.objects().set(podium::test::share(rule));
  }

  std::mt19937_64 random_;
  std::int64_t generation_ = 0;
  std::uint64_t version_ = 0, named_ = 0;
};

TEST(SearchMemo, WhatIsKeptIsWhatIsSo) {
  const auto seed = podium::test::drawn_seed();
  SCOPED_SEED(seed);
  std::size_t found = 0, none = 0, invalid = 0;
  for (std::uint64_t run = 0; run < 20; ++run) {
    World world(seed + run);
    const auto keeps = device_search();
    std::vector<Snapshot> forks{world.start()};
    std::unique_ptr<DeviceSearch> another;  // has its claims' memo while it lives
    for (int i = 0; i < 150; ++i) {
      world.step(forks[world.below(forks.size())]);
      if (world.chance(3) && forks.size() < 3) forks.push_back(Snapshot(forks.front()));
      if (world.chance(20)) continue;
      const auto& asked = forks[world.below(forks.size())];
      const auto claims = world.claims();
      another.reset();
      const auto search = keeps(asked, claims), fresh = device_search()(asked, claims);
      const auto until = world.chance(30) ? world.below(5) : 5;  // other filters may reject the others
      for (cluster::Row row = 0; row < until; ++row) {
        const auto got = search->at(row), want = fresh->at(row);
        ASSERT_EQ(got.end, want.end) << "run " << run << ", step " << i << ", node " << row;
        EXPECT_EQ(got.error, want.error);
        ASSERT_EQ(search->allocations(row), fresh->allocations(row));
        found += got.end == DevicesFound::End::found;
        none += got.end == DevicesFound::End::none;
        invalid += got.end == DevicesFound::End::invalid_pools;
      }
      if (world.chance(10)) another = keeps(forks.front(), world.claims());
    }
    another.reset();
  }
  EXPECT_GT(found, 1000u);
  EXPECT_GT(none, 500u);
  EXPECT_GE(invalid, 0u);
}

// So an answer that is kept is not searched for again.
TEST(SearchMemo, IsForgottenWithTheUseOfAPool) {
  World world(1);
  auto snapshot = world.start();
  const auto inventory = devices::Inventories().of(snapshot.objects());
  SearchMemos memos;
  const auto claim = [](const char* name) {
    return std::vector<ClaimPtr>{podium::test::share(claim_of_class(name, "gpu"))};
  };
  auto memo = memos.take(snapshot, claim("first"), inventory);
  const cluster::PoolId pool(kGpu, "p0"), other(kGpu, "p1");
  memo->add(0, snapshot.entry(0).node, {DevicesFound::End::found, 5}, {&pool});
  memo->add(1, snapshot.entry(1).node, {DevicesFound::End::none, 5}, {&other});
  memos.give_back(std::move(memo));

  auto used = claim_named("used");
  used.status.allocation.emplace().results = {{.request = "r", .driver = kGpu, .pool = "p0", .device = "d0"}};
  snapshot.objects().set(podium::test::share(used));
  memo = memos.take(snapshot, claim("second"), inventory);
  EXPECT_FALSE(memo->find(0, snapshot.entry(0).node)) << "of its pool a device is in use now";
  ASSERT_TRUE(memo->find(1, snapshot.entry(1).node));
  EXPECT_EQ(memo->find(1, snapshot.entry(1).node)->end, DevicesFound::End::none);
  snapshot.set_node(node("n1").ptr());
  EXPECT_FALSE(memo->find(1, snapshot.entry(1).node)) << "it is another node";
  auto two = claim_of_class("third", "gpu");
  two.spec.requests.front().exactly->count = 2;
  memos.give_back(std::move(memo));
  EXPECT_FALSE(memos.take(snapshot, {podium::test::share(two)}, inventory)->find(1, snapshot.entry(1).node));
}

// The first claim finds a device in the class, and then none.
TEST(SearchMemo, IsForgottenWithAClass) {
  Snapshot snapshot = snapshot_of({node("n0")});
  api::ResourceSlice slice;
  slice.meta.name = "slice";
  slice.driver = kGpu;
  slice.pool = {.name = "p0", .generation = 1, .slice_count = 1};
  slice.nodes.name = "n0";
  slice.devices.emplace_back().name = "d0";
  snapshot.objects().set(podium::test::share(slice));
  const auto set_class = [&](const char* driver) {
    auto made = class_named("gpu");
    made.selectors = {fmt::format("device.driver == '{}'", driver)};
    snapshot.objects().set(podium::test::share(made));
  };
  const auto keeps = device_search();
  const auto ask = [&](const char* name) {
    return keeps(snapshot, {podium::test::share(claim_of_class(name, "gpu"))})->at(0).end;
  };
  set_class(kGpu);
  EXPECT_EQ(ask("first"), DevicesFound::End::found);
  set_class("another.example.com");
  EXPECT_EQ(ask("second"), DevicesFound::End::none) << "the class selects no device now";
  set_class(kGpu);
  EXPECT_EQ(ask("third"), DevicesFound::End::found);
  snapshot.objects().remove<api::DeviceClass>("", "gpu");
  EXPECT_EQ(ask("fourth"), DevicesFound::End::failed) << "the class is gone";
}

}  // namespace
}  // namespace podium::plugins::test::search_memo_test
