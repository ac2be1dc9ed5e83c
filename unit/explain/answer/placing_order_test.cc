// The order in which new workloads are asked about.
#include "explain/workload/placing_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "unit/support/builders.h"
#include "unit/support/cost.h"
#include "unit/support/seed.h"

namespace podium::explain {
namespace {

using test::pod;
using test::term;
using Order = std::vector<std::size_t>;

constexpr const char* kHostKey = "kubernetes.io/hostname";

api::Pod needing(const std::string& name, const std::string& other, int priority = 0) {
  return pod(name)
      .ns("shop")
      .label("app", name)
      .priority(priority)
      .affinity(term(kHostKey).label("app", other));
}
api::Pod plain(const std::string& name, int priority = 0) {
  return pod(name).ns("shop").label("app", name).priority(priority);
}

TEST(PlacingOrder, ByPriorityAndAfterWhatTheyRequire) {
  EXPECT_EQ(placing_order({}), Order());
  EXPECT_EQ(placing_order({plain("a"), plain("b", 5), plain("c")}), (Order{1, 0, 2}));
  EXPECT_EQ(placing_order({needing("a", "b", 9), plain("b"), plain("c")}), (Order{1, 0, 2}));
  EXPECT_EQ(placing_order({needing("a", "b"), needing("b", "c"), needing("c", "a")}), (Order{0, 2, 1}))
      << "a circle begins with its first";
  EXPECT_EQ(placing_order({needing("a", "a"), plain("b")}), (Order{0, 1})) << "the first of its kind";
  EXPECT_EQ(placing_order({needing("a", "b"), pod("b").ns("other").label("app", "b")}), (Order{0, 1}));
}

// By the definition: the first one that requires none that is left.
Order by_definition(const std::vector<api::Pod>& pods) {
  const auto requires_first = [&](std::size_t i, std::size_t other) {
    return i != other && pods[i].meta.namespace_ == pods[other].meta.namespace_ &&
           std::ranges::any_of(pods[i].pod_affinity.required, [&](const auto& each) {
             return each.label_selector && each.label_selector->matches(pods[other].meta.labels) &&
                    !each.label_selector->matches(pods[i].meta.labels);
           });
  };
  Order left(pods.size()), out;
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::ranges::stable_sort(left, std::greater(), [&](std::size_t i) { return pods[i].priority_or_zero(); });
  while (!left.empty()) {
    auto next = std::ranges::find_if(left, [&](std::size_t i) {
      return std::ranges::none_of(left, [&](std::size_t other) { return requires_first(i, other); });
    });
    if (next == left.end()) next = left.begin();
    out.push_back(*next);
    left.erase(next);
  }
  return out;
}

TEST(PlacingOrder, AsByItsDefinition) {
  const auto first = podium::test::drawn_seed();
  for (std::uint64_t seed = first; seed < first + 300; ++seed) {
    SCOPED_SEED(seed);
    std::mt19937_64 random(seed);
    const auto number = [&](int least, int most) {
      return std::uniform_int_distribution(least, most)(random);
    };
    const auto letter = [&] { return std::string(1, static_cast<char>('a' + number(0, 4))); };
    std::vector<api::Pod> pods;
    for (int i = number(1, 9); i > 0; --i) {
      auto each = pod(fmt::format("p{}", i)).ns(number(0, 4) ? "shop" : "other").priority(number(0, 2));
      each.label("app", letter());
      for (int terms = number(0, 2); terms > 0; --terms) {
        const auto one = term(kHostKey).label("app", letter());
        const auto some =
            term(kHostKey).selector(test::select_where({test::in("app", {letter(), letter()})}));
        const auto any = term(kHostKey).selector(test::select_where({test::exists("app")}));
        const int which = number(0, 3);
        each.affinity(which == 0 ? some : which == 1 ? any : one);
      }
      pods.push_back(each);
    }
    EXPECT_EQ(placing_order(pods), by_definition(pods));
  }
}

TEST(PlacingOrder, AChainTakesLinearTime) {
  const auto prepare = [](std::size_t n) -> test::Work {
    std::vector<api::Pod> pods;
    for (std::size_t i = 0; i < n; ++i)
      pods.push_back(needing(fmt::format("p{}", i), fmt::format("p{}", i + 1)));
    return [pods = std::move(pods)] { EXPECT_EQ(placing_order(pods).front(), pods.size() - 1); };
  };
  EXPECT_TRUE(test::is_linear(100, prepare));
}

}  // namespace
}  // namespace podium::explain
