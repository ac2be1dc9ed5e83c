// Tolerations answers as its tolerations do one by one.
#include "api/values/tolerations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace podium::api {
namespace {

TEST(Tolerations, AreThoseOfThePodOneByOne) {
  std::mt19937_64 random(1);
  const auto pick = [&](const auto& of) { return of[random() % std::size(of)]; };
  const char* const keys[] = {"", "a", "b"};
  const char* const values[] = {"", "v", "1", "2", "-3", "010"};
  using Op = Toleration::Op;
  const Op ops[] = {Op::equal, Op::exists, Op::lt, Op::gt, Op::other};
  using Effect = TaintEffect;
  const Effect effects[] = {Effect::none, Effect::no_schedule, Effect::prefer_no_schedule,
                            Effect::no_execute};
  int tolerated = 0;
  for (int i = 0; i < 3'000; ++i) {
    std::vector<Toleration> tolerations;
    const Op op = pick(ops);
    // A few are compared, many are looked up.
    for (std::size_t j = random() % 40; j > 0; --j) {
      tolerations.push_back({.key = i % 2 == 0 ? "a" : pick(keys),
                             .value = pick(values),
                             .op = i % 3 == 0 ? op : pick(ops),
                             .effect = pick(effects)});
    }
    const Taint taint{.key = pick(keys), .value = pick(values), .effect = pick(effects)};
    const bool comparison = random() % 2 == 0;
    const bool expected =
        std::ranges::any_of(tolerations, [&](const auto& each) { return each.tolerates(taint, comparison); });
    EXPECT_EQ(Tolerations(tolerations, comparison).tolerate(taint), expected) << "round " << i;
    tolerated += expected;
  }
  EXPECT_GT(tolerated, 300);
  EXPECT_LT(tolerated, 2'700);
}

TEST(TaintEffects, AreReadAsTheyAreWritten) {
  using enum TaintEffect;
  for (const auto effect : {none, no_schedule, prefer_no_schedule, no_execute})
    EXPECT_EQ(taint_effect_of(to_string(effect)), effect) << to_string(effect);
  EXPECT_EQ(to_string(prefer_no_schedule), "PreferNoSchedule");
  EXPECT_EQ(to_string(unknown), "");
  EXPECT_EQ(taint_effect_of("noschedule"), unknown);
}

}  // namespace
}  // namespace podium::api
