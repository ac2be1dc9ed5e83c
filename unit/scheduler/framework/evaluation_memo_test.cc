// What an EvaluationMemo knows of columns, and which keys it keeps. In unit/scheduler/plugins it decides.
#include "scheduler/framework/evaluation_memo.h"

#include <gtest/gtest.h>

namespace podium::framework::test {
namespace {

Declared declared(std::int64_t asks) {
  static const int plugin = 0;
  RowInputs inputs;
  inputs.asks = {asks};
  Declared out;
  out.add(&plugin, inputs);
  return out;
}

TEST(ColumnView, SaysWhichWordsHaveChangedSinceALook) {
  cluster::Column<std::int64_t> column;
  column.grow_to(1);
  column.write(0) = 1;
  ColumnView view;
  Tick seen = 0;
  const auto changed = [&] {
    const RowInput input{label_of("column"), &column};
    const auto now = view.look(std::span(&input, 1), 1);
    const auto words = view.changed_words(0, seen);
    seen = now;
    return words;
  };
  EXPECT_EQ(changed(), 0xFFFFu) << "nothing is known yet";
  EXPECT_EQ(changed(), 0u);
  column.write(70) = 2;
  EXPECT_EQ(changed(), 0b10u) << "the word of row 70";
  column.write(70) = 3;
  column.write(1023) = 3;
  EXPECT_EQ(changed(), 0x8002u);
  column.write(5) = 0;
  EXPECT_EQ(changed(), 0u) << "written with an equal value";
}

// Two evaluations look in turns; each must see what changed since its own look.
TEST(ColumnView, RemembersForEachLookWhatChangedAfterIt) {
  cluster::Column<std::int64_t> column;
  column.grow_to(1);
  ColumnView view;
  const RowInput input{label_of("column"), &column};
  const auto first = view.look(std::span(&input, 1), 1);
  column.write(0) = 1;
  const auto second = view.look(std::span(&input, 1), 1);
  column.write(64) = 1;
  view.look(std::span(&input, 1), 1);
  EXPECT_EQ(view.changed_words(0, first), 0b11u);
  EXPECT_EQ(view.changed_words(0, second), 0b10u);
}

TEST(ColumnView, ColumnsOfOneLabelAreComparedByTheirValues) {
  cluster::Column<std::int64_t> a, b;
  for (auto* column : {&a, &b}) column->grow_to(1);
  a.write(3) = b.write(3) = 7;
  b.write(200) = 1;
  ColumnView view;
  const RowInput of_a{label_of("x"), &a}, of_b{label_of("x"), &b};
  const auto seen = view.look(std::span(&of_a, 1), 1);
  view.look(std::span(&of_b, 1), 1);
  EXPECT_EQ(view.changed_words(0, seen), 0b1000u);
}

TEST(ColumnView, ForgetsAllOfTooManyColumns) {
  cluster::Column<std::int64_t> column;
  column.grow_to(1);
  ColumnView view;
  const RowInput first{label_of("first"), &column};
  const auto seen = view.look(std::span(&first, 1), 1);
  for (std::uint64_t i = 0; i < ColumnView::kMost; ++i) {
    const RowInput other{i, &column};
    view.look(std::span(&other, 1), 1);
  }
  view.look(std::span(&first, 1), 1);
  EXPECT_EQ(view.changed_words(0, seen), ColumnView::kAllWords);
}

TEST(EvaluationMemo, ForgetsTheLeastRecentlyUsedKey) {
  EvaluationMemo memo;
  memo.verdicts(declared(1)).left.resize(3);
  for (std::int64_t i = 0; i < std::int64_t{EvaluationMemo::kMost}; ++i) {
    EXPECT_EQ(memo.verdicts(declared(1)).left.size(), 3u) << "asked for again and again";
    memo.verdicts(declared(100 + i)).left.resize(1);
  }
  EXPECT_EQ(memo.verdicts(declared(1)).left.size(), 3u);
  EXPECT_EQ(memo.verdicts(declared(100)).left.size(), 0u) << "forgotten";
}

TEST(EvaluationMemo, AKeyThatTakesAnothersPlaceKnowsNoScores) {
  EvaluationMemo memo;
  for (std::int64_t i = 0; i < std::int64_t{EvaluationMemo::kMost}; ++i) {
    auto& kept = memo.strategies(declared(i));
    kept.strategies.resize(1);
    kept.strategies.front().chunks.resize(1);
    kept.seen = 7;
  }
  const auto& taken = memo.strategies(declared(100));
  EXPECT_EQ(taken.key, declared(100).key());
  EXPECT_EQ(taken.seen, 0u);
}

// A pod's verdicts take turns: its scores are known for each set of nodes that passes.
TEST(EvaluationMemo, KeepsTheScoresOfAKeyForEachSetOfNodes) {
  EvaluationMemo memo;
  memo.strategies(declared(1), 1).seen = 7;
  EXPECT_EQ(memo.strategies(declared(1), 2).seen, 0u);
  memo.strategies(declared(1), 2).seen = 8;
  EXPECT_EQ(memo.strategies(declared(1), 1).seen, 7u);
  EXPECT_EQ(memo.strategies(declared(1), 2).seen, 8u);
  for (std::uint64_t nodes = 3; nodes <= EvaluationMemo::kMost; ++nodes)
    memo.strategies(declared(1), nodes).seen = nodes;
  EXPECT_EQ(memo.strategies(declared(1), 100).seen, 7u) << "those of the least recently used set";
  EXPECT_EQ(memo.strategies(declared(2), 1).seen, 0u) << "another key";
}

TEST(EvaluationMemo, VerdictsOfAnotherKeyHaveAnotherNumber) {
  EvaluationMemo memo;
  const auto first = memo.verdicts(declared(1)).number;
  EXPECT_NE(memo.verdicts(declared(2)).number, first);
  EXPECT_EQ(memo.verdicts(declared(1)).number, first);
  for (std::int64_t i = 0; i < std::int64_t{EvaluationMemo::kMost}; ++i) memo.verdicts(declared(100 + i));
  EXPECT_NE(memo.verdicts(declared(1)).number, first) << "it was forgotten";
}

TEST(EvaluationMemo, AKeyHasEachPluginWhatItAsksAndItsColumns) {
  static const int a = 0, b = 0;
  const cluster::Column<std::int64_t> column;
  const auto key = [&](const void* plugin, std::vector<std::int64_t> asks, std::string_view label) {
    Declared out;
    out.add(plugin, {std::move(asks), {{label_of(label), &column}}});
    return out.key();
  };
  EXPECT_EQ(key(&a, {1}, "x"), key(&a, {1}, "x"));
  EXPECT_NE(key(&a, {1}, "x"), key(&b, {1}, "x"));
  EXPECT_NE(key(&a, {1}, "x"), key(&a, {2}, "x"));
  EXPECT_NE(key(&a, {1}, "x"), key(&a, {1}, "y"));
  Declared undeclared;
  undeclared.add_undeclared(&a);
  EXPECT_NE(key(&a, {}, "x"), undeclared.key());
}

TEST(EvaluationMemo, IsSeenByItsThreadWhileItIsUsed) {
  EXPECT_EQ(EvaluationMemo::of_thread(), nullptr);
  EvaluationMemo outer;
  {
    const EvaluationMemo::Use use(outer);
    EXPECT_EQ(EvaluationMemo::of_thread(), &outer);
    EvaluationMemo inner;
    {
      const EvaluationMemo::Use nested(inner);
      EXPECT_EQ(EvaluationMemo::of_thread(), &inner);
    }
    EXPECT_EQ(EvaluationMemo::of_thread(), &outer);
  }
  EXPECT_EQ(EvaluationMemo::of_thread(), nullptr);
}

}  // namespace
}  // namespace podium::framework::test
