// Which pods a ReplicaSet's controller deletes first.
#include "explain/workload/deletion_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "api/values/decimal.h"
#include "explain/workload/eviction_cost.h"
#include "unit/support/builders.h"
#include "unit/support/cost.h"
#include "unit/support/seed.h"

namespace podium::explain {
namespace {

using cluster::PodInfoPtr;
using test::pod;

constexpr const char* kCost = "controller.kubernetes.io/pod-deletion-cost";

PodInfoPtr placed(test::PodBuilder& pod, const char* node, bool is_ready = true) {
  return cluster::make_pod_info(pod.node(node).condition("Ready", is_ready ? "True" : "False").ptr());
}

Wall at(const char* text) { return *pod("at").created(text).build().meta.created; }

std::vector<std::string> names_of(const std::vector<PodInfoPtr>& pods) {
  std::vector<std::string> out;
  for (const auto& each : pods) out.push_back(each->pod->meta.name);
  return out;
}

TEST(DeletionOrder, GoesByReadinessCostCrowdAndAge) {
  constexpr const char *kOld = "2026-01-01T00:00:00Z", *kNew = "2026-01-02T00:00:00Z";
  auto unready = pod("unready").created(kOld), cheap = pod("cheap").annotation(kCost, "-1").created(kOld),
       dear = pod("dear").annotation(kCost, "5").created(kNew),
       invalid = pod("invalid").annotation(kCost, "+7").created(kNew), old = pod("old").created(kOld),
       crowded = pod("crowded").created(kOld), also = pod("also-crowded").created(kNew),
       waits = pod("waits").annotation(kCost, "9").created(kOld);
  DeletionOrder order(
      {cluster::make_pod_info(waits.ptr()), placed(old, "n1"), placed(invalid, "n2"), placed(dear, "n3"),
       placed(cheap, "n4"), placed(unready, "n5", false), placed(crowded, "n6"), placed(also, "n6")},
      at("2026-01-03T00:00:00Z"));
  EXPECT_EQ(order.size(), 8u);
  EXPECT_EQ(order.unready(), 2u);
  EXPECT_EQ(names_of(order.take(8)), (std::vector<std::string>{"waits", "unready", "cheap", "also-crowded",
                                                               "crowded", "invalid", "old", "dear"}));
  EXPECT_TRUE(order.empty());
}

TEST(DeletionOrder, RanksOnceForAllPodsThatAreDeletedTogether) {
  const auto three = [] {
    auto a = pod("a").created("2026-01-01T00:00:00Z"), b = pod("b").created("2026-01-02T00:00:00Z"),
         alone = pod("alone").created("2026-01-03T00:00:00Z");
    return DeletionOrder({placed(a, "n1"), placed(b, "n1"), placed(alone, "n2")}, at("2026-01-05T00:00:00Z"));
  };
  auto together = three(), one_by_one = three();
  EXPECT_EQ(names_of(together.take(2)), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(names_of(one_by_one.take(1)), (std::vector<std::string>{"b"}));
  EXPECT_EQ(names_of(one_by_one.take(1)), (std::vector<std::string>{"alone"}));
}

// Pods of one rollout are about as old, so their UIDs decide; the logarithm separates those of another one.
TEST(DeletionOrder, AgesCountByTheirLogarithm) {
  const auto now = at("2026-01-10T00:00:00Z");
  auto first = pod("first").uid("b").created("2026-01-01T00:00:00Z"),
       second = pod("second").uid("a").created("2026-01-01T00:10:00Z"),
       young = pod("young").uid("c").created("2026-01-09T23:00:00Z"),
       restarted = pod("restarted").uid("d").created("2026-01-01T00:00:00Z").started("2026-01-09T23:59:00Z"),
       starts = pod("starts").uid("e").created("2026-01-01T00:00:00Z").phase("Pending");
  DeletionOrder order({placed(first, "n1"), placed(second, "n2"), placed(young, "n3"),
                       placed(restarted, "n4"), placed(starts, "n5", false)},
                      now);
  EXPECT_EQ(names_of(order.take(5)),
            (std::vector<std::string>{"starts", "restarted", "young", "second", "first"}));
}

// Sorts all pods before each deletion.
class Sorted {
 public:
  Sorted(std::vector<PodInfoPtr> pods, Wall now) : pods_(std::move(pods)), now_(now) {
    for (const auto& each : pods_) ++related_[each->pod->node_name];
  }
  void count_related(const std::string& node) { ++related_[node]; }
  void forget(const PodInfoPtr& pod) {
    std::erase(pods_, pod);
    --related_[pod->pod->node_name];
  }
  std::vector<PodInfoPtr> take(std::size_t count) {
    std::ranges::sort(pods_, {}, [&](const PodInfoPtr& info) {
      const auto& pod = *info->pod;
      const auto* cost = pod.meta.annotations.find(kCost);
      return std::tuple(
          is_ready(pod), cost ? api::parse_integer(*cost).value() : 0,
          -static_cast<std::int64_t>(related_[pod.node_name]),
          static_cast<int>(std::log2(std::chrono::nanoseconds(now_ - *pod.meta.created).count())),
          pod.meta.uid);
    });
    const std::vector<PodInfoPtr> out(pods_.begin(), pods_.begin() + static_cast<std::ptrdiff_t>(count));
    for (const auto& each : out) forget(each);
    return out;
  }

  std::vector<PodInfoPtr> pods_;

 private:
  const Wall now_;
  std::map<std::string, std::size_t> related_;
};

TEST(DeletionOrder, IsAsIfAllWereSortedEachTime) {
  const auto seed = test::drawn_seed();
  SCOPED_SEED(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<PodInfoPtr> pods;
    const auto count = 1 + random() % 20;
    for (std::uint64_t i = 0; i < count; ++i) {
      auto each = pod(fmt::format("p{}", i)).created(fmt::format("2026-01-01T00:00:{:02}Z", i));
      if (random() % 3 == 0) each.annotation(kCost, std::to_string(static_cast<int>(random() % 3) - 1));
      pods.push_back(placed(each, fmt::format("n{}", random() % 4).c_str(), random() % 4 != 0));
    }
    std::ranges::shuffle(pods, random);
    const auto now = at("2026-01-01T00:00:30Z");
    DeletionOrder order(pods, now);
    Sorted sorted(pods, now);
    while (!order.empty()) {
      ASSERT_EQ(order.size(), sorted.pods_.size());
      ASSERT_EQ(order.unready(), static_cast<std::size_t>(std::ranges::count_if(
                                     sorted.pods_, [](const auto& each) { return !is_ready(*each->pod); })));
      if (random() % 3 == 0) {
        const auto node = fmt::format("n{}", random() % 5);
        order.count_related(node);
        sorted.count_related(node);
      } else if (random() % 4 == 0) {
        const auto gone = sorted.pods_[random() % sorted.pods_.size()];
        order.forget(*gone);
        order.forget(*gone);
        sorted.forget(gone);
      } else {
        const auto taken = random() % (order.size() + 1);
        ASSERT_EQ(names_of(order.take(taken)), names_of(sorted.take(taken)));
      }
    }
  }
}

TEST(DeletionOrder, CostsAsMuchAsItsPods) {
  EXPECT_TRUE(test::is_linear(500, [](std::size_t n) -> test::Work {
    std::vector<PodInfoPtr> pods;
    for (std::size_t i = 0; i < n; ++i) {
      auto each = pod(fmt::format("p{}", i)).created("2026-01-01T00:00:00Z");
      pods.push_back(placed(each, fmt::format("n{}", i % 50).c_str()));
    }
    return [pods] {
      DeletionOrder order(pods, at("2026-01-02T00:00:00Z"));
      while (!order.empty()) order.take(1);
    };
  }));
}

}  // namespace
}  // namespace podium::explain
