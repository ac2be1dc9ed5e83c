// Shares: what a greedy one leaves to a modest one.
#include "base/shares.h"

#include <gtest/gtest.h>

#include <vector>

namespace podium {
namespace {

TEST(Shares, AModestOneGetsASlotWhateverTheGreedyOnesHold) {
  Shares shares({.in_all = 8, .of_one = 4, .reserve = 4});
  std::vector<Shares::Slot> held;
  for (const char* greedy : {"a", "b", "c", "d"}) {
    while (auto slot = shares.take(greedy)) held.push_back(std::move(slot));
  }
  EXPECT_EQ(shares.taken(), 10u) << "four, four, and one each of the reserve";
  auto modest = shares.take("modest");
  EXPECT_TRUE(modest);
  EXPECT_FALSE(shares.take("modest")) << "the reserve is for the first";
  modest.reset();
  EXPECT_TRUE(shares.take("modest"));
  held.clear();
  EXPECT_EQ(shares.taken(), 0u);
}

TEST(Shares, WhoGaveUpASlotGetsItBack) {
  Shares shares({.in_all = 1, .of_one = 1});
  const auto other = shares.take("other");
  ASSERT_TRUE(other);
  EXPECT_FALSE(shares.take("one"));
  const auto back = shares.take_anyway("one");
  EXPECT_EQ(shares.taken(), 2u);
}

}  // namespace
}  // namespace podium
