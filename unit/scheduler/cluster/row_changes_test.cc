// Which rows differ between two states. The random test of the snapshot checks that it notes all writes.
#include "scheduler/cluster/row_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "unit/support/seed.h"

namespace podium::cluster::row_changes_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::UnorderedElementsAre;

TEST(RowChanges, StatesWithTheSameLastChangeAreEqual) {
  RowChanges a;
  EXPECT_THAT(RowChanges::between(a, RowChanges()), Optional(IsEmpty())) << "nothing was ever written";
  a.note(3);
  const auto fork = a;
  EXPECT_THAT(RowChanges::between(a, fork), Optional(IsEmpty()));
}

TEST(RowChanges, ForksDifferInWhatEachHasChanged) {
  RowChanges a;
  a.note(1);
  auto fork = a;
  a.note(2);
  fork.note(3);
  a.note(2);
  EXPECT_THAT(RowChanges::between(a, fork), Optional(UnorderedElementsAre(2, 3)));
  EXPECT_THAT(RowChanges::between(fork, a), Optional(UnorderedElementsAre(2, 3)));
}

TEST(RowChanges, ARowThatChangesAgainIsAnotherState) {
  RowChanges a;
  a.note(1);
  const auto before = a;
  a.note(1);
  EXPECT_THAT(RowChanges::between(a, before), Optional(testing::Each(1))) << "maybe twice";
  EXPECT_THAT(RowChanges::between(a, before), Optional(testing::Not(IsEmpty())));
}

TEST(RowChanges, KnowsTheLastChangesOnly) {
  RowChanges a;
  const RowChanges never;
  for (Row row = 1; row < RowChanges::kMost; ++row) a.note(row);
  EXPECT_THAT(RowChanges::between(a, never), Optional(testing::SizeIs(RowChanges::kMost - 1)));
  const auto before = a;
  a.note(0);
  EXPECT_EQ(RowChanges::between(a, never), std::nullopt);
  EXPECT_THAT(RowChanges::between(a, before), Optional(ElementsAre(0)));
  for (Row row = 1; row < RowChanges::kMost; ++row) a.note(row);
  EXPECT_EQ(RowChanges::between(a, before), std::nullopt);
}

// Forks of forks, each with the values that its changes wrote.
TEST(RowChanges, MissesNoRowThatDiffers) {
  const auto seed = podium::test::drawn_seed();
  SCOPED_SEED(seed);
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  struct State {
    RowChanges changes;
    std::array<int, 20> values{};
  };
  std::vector<State> states(1);
  std::size_t known = 0;
  for (int step = 0; step < 20000; ++step) {
    auto& state = states[below(states.size())];
    const auto row = below(state.values.size());
    state.changes.note(static_cast<Row>(row));
    state.values[row] = step;
    if (below(20) == 0) {
      const auto copy = states[below(states.size())];
      if (states.size() < 8)
        states.push_back(copy);
      else
        states[below(states.size())] = copy;
    }
    const auto &a = states[below(states.size())], &b = states[below(states.size())];
    const auto rows = RowChanges::between(a.changes, b.changes);
    if (!rows) continue;
    ++known;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      if (a.values[i] == b.values[i]) continue;
      ASSERT_THAT(*rows, testing::Contains(i)) << "step " << step;
    }
  }
  EXPECT_GT(known, 5000u);
}

}  // namespace
}  // namespace podium::cluster::row_changes_test
