// Excuses: how many a number of lives may have.
#include "simulate/observers/excuses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podium::simulate {
namespace {

Excuses of(Excuse excuse, std::uint64_t times) {
  Excuses out{};
  out[static_cast<std::size_t>(excuse)] = times;
  return out;
}

// So many lives; some of them have the excuse so many times each.
Excused lives(std::uint64_t all, Excuse excuse, std::uint64_t with, std::uint64_t times = 1) {
  Excused out;
  for (std::uint64_t i = 0; i < all; ++i) out.add(of(excuse, i < with ? times : 0));
  return out;
}

TEST(Excuses, AThousandLivesOrMoreHaveABoundInProportion) {
  EXPECT_EQ(most_excused(Excuse::lost_event, 1'000), 5u);
  EXPECT_EQ(most_excused(Excuse::lost_event, 1'199), 5u);
  EXPECT_EQ(most_excused(Excuse::lost_event, 4'500), 22u);
  EXPECT_EQ(most_excused(Excuse::lease_deleted, 20'000), 3'000u);
  EXPECT_EQ(lives(1'000, Excuse::lost_event, 1, 5).too_often(), "");
  EXPECT_EQ(lives(1'000, Excuse::lost_event, 1, 6).too_often(),
            "excused too often: 6 lost event in 1 of 1000 lives; 5 may be\n");
}

TEST(Excuses, OfFewerLivesThoseAreCountedThatHaveOne) {
  EXPECT_EQ(lives(300, Excuse::lost_event, 5, 20).too_often(), "");
  EXPECT_EQ(lives(300, Excuse::lost_event, 6).too_often(),
            "excused too often: 6 lost event in 6 of 300 lives; 5 may be\n");
}

TEST(Excuses, FewerLivesMayHaveFewer) {
  for (std::size_t i = 0; i < kExcuseCount; ++i) {
    const auto excuse = static_cast<Excuse>(i);
    std::uint64_t before = 0;
    for (std::uint64_t count = 1; count <= 1'000; ++count) {
      const auto most = most_excused(excuse, count);
      EXPECT_GE(most, before) << count;
      EXPECT_LE(most, kMostExcused[i]) << count << ": never more than of a thousand";
      before = most;
    }
  }
  EXPECT_EQ(most_excused(Excuse::lease_deleted, 100), 31u) << "15 are expected: 16 more is 4.1 deviations";
  EXPECT_EQ(most_excused(Excuse::lost_event, 10), 2u) << "0.05 are expected";
}

TEST(Excuses, WorkersAddTheirsUp) {
  auto sum = lives(200, Excuse::takeover, 1, 3);
  sum += lives(200, Excuse::takeover, 2);
  EXPECT_EQ(sum.lives, 400u);
  EXPECT_THAT(sum.text(), testing::HasSubstr("5 binding not seen at a takeover (in 3 lives)"));
}

}  // namespace
}  // namespace podium::simulate
