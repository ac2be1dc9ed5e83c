// Copy-on-write boxes, maps, indexes and columns: a copy never sees what another writes.
#include "base/cow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "api/values/labels.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/cow_ordered_map.h"
#include "scheduler/cluster/label_table.h"
#include "scheduler/cluster/rare_column.h"

namespace podium::cluster {
namespace {

using testing::UnorderedElementsAre;

TEST(Cow, CopiesShareUntilOneWrites) {
  Cow<std::string> a("one");
  auto b = a;
  EXPECT_TRUE(a.shared());
  EXPECT_EQ(&*a, &*b);
  b.write() = "two";
  EXPECT_FALSE(a.shared());
  EXPECT_EQ(*a + *b, "onetwo");
  const auto* before = &*b;
  b.write() = "three";
  EXPECT_EQ(&*b, before) << "not shared: written in place";
  a = b;
  EXPECT_EQ(*a, "three");
  a = std::move(b);
  EXPECT_FALSE(a.shared());
}

TEST(Cow, UnwrittenBoxesAreOne) {
  Cow<std::vector<int>> a, b;
  EXPECT_EQ(&*a, &*b);
  a.write().push_back(1);
  EXPECT_TRUE(b->empty());
}

TEST(Column, GrowsWithZeros) {
  Column<int, 4> column;
  column.grow_to(5);
  EXPECT_EQ(column.chunks(), 2u);
  auto copy = column;
  copy.write(4) = 7;
  copy.set(0, 0);
  copy.grow_to(9);
  EXPECT_EQ(column[4], 0);
  EXPECT_EQ(copy[4], 7);
  EXPECT_EQ(copy[8], 0);
  EXPECT_EQ(column.chunk(0).data(), copy.chunk(0).data());
  EXPECT_EQ(column.chunks(), 2u);
}

// The column's values, each read in all three ways.
std::map<Row, std::int64_t> values_of(const RareColumn<std::int64_t>& column, std::size_t chunks) {
  std::map<Row, std::int64_t> out;
  const auto whole = column.column(chunks);
  for (std::size_t c = 0; c < chunks; ++c) {
    RareColumn<std::int64_t>::Chunk space;
    const auto chunk = column.chunk(c, space);
    for (std::size_t i = 0; i < kChunkRows; ++i) {
      const auto row = c * kChunkRows + i;
      EXPECT_EQ(chunk[i], column[row]) << row;
      EXPECT_EQ(chunk[i], whole[row]) << row;
      if (chunk[i] != 0) out[static_cast<Row>(row)] = chunk[i];
    }
  }
  return out;
}

TEST(RareColumn, AgreesWithAMapWhileChunksBecomeArraysAndPairsAgain) {
  constexpr std::size_t kChunks = 3, kFew = RareColumn<std::int64_t>::kFew;
  RareColumn<std::int64_t> column;
  std::map<Row, std::int64_t> model;
  std::mt19937 random(5);
  const auto set = [&](std::size_t row, std::int64_t value) {
    column.set(row, value);
    if (value == 0) {
      model.erase(static_cast<Row>(row));
    } else {
      model[static_cast<Row>(row)] = value;
    }
  };
  for (const std::size_t wanted :
       {kFew / 2, kFew, kFew + 1, 3 * kFew, kFew, kFew / 2, kFew / 2 - 1, std::size_t{0}}) {
    const auto fork = column;   // NOLINT(performance-unnecessary-copy-initialization): set() changes column
    const auto before = model;  // NOLINT(performance-unnecessary-copy-initialization): and model
    for (std::size_t c = 0; c < kChunks; ++c) {
      const auto of_chunk = c == 1 ? wanted / 4 : wanted;  // one chunk keeps pairs for long
      for (std::size_t i = 0; i < 3 * kFew + 5; ++i)
        set(c * kChunkRows + i * 3, i < of_chunk ? static_cast<std::int64_t>(random() % 9 + 1) : 0);
    }
    EXPECT_EQ(values_of(column, kChunks), model) << wanted;
    EXPECT_EQ(values_of(fork, kChunks), before) << "the fork keeps its values: " << wanted;
  }
}

TEST(LabelTable, FindsValuesHoweverManyThereAre) {
  LabelTable table;
  const auto label = [](int value) { return api::Labels({{"build", "v" + std::to_string(value)}}); };
  std::map<Row, int> model;
  for (const int values : {1, 2, 7, 8, 9, 40, 3, 1}) {
    const auto fork = table;
    for (Row row = 0; row < 60; ++row) {
      const auto value = static_cast<int>(row) % values;
      const auto from = model.contains(row) ? label(model[row]) : api::Labels();
      table.set(row, from, label(value));
      model[row] = value;
    }
    const auto* column = table.find("build");
    ASSERT_TRUE(column);
    for (const auto& [row, value] : model) {
      const auto id = column->find("v" + std::to_string(value));
      EXPECT_EQ(column->value(row), id) << values;
      EXPECT_EQ(column->name(id), "v" + std::to_string(value));
      EXPECT_EQ(column->nodes_with(id), std::ranges::count(model, value, &std::pair<const Row, int>::second));
    }
    EXPECT_EQ(column->find("v" + std::to_string(values)), kNoValue) << values;
    if (const auto* build = fork.find("build")) {
      EXPECT_EQ(build->find("v39") != kNoValue, values == 3);
    }
  }
  for (const auto& [row, value] : model) table.set(row, label(value), {});
  EXPECT_EQ(table.find("build"), nullptr);
}

TEST(CowOrderedMap, AgreesWithAMapOverManyLeaves) {
  CowOrderedMap<std::string, int> map;
  std::map<std::string, int> model;
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    const auto fork = map;
    const auto before = model;
    for (int i = 0; i < 300; ++i) {
      const auto key = std::to_string(random() % 1000);
      if (round % 4 < 2 || random() % 3 == 0) {
        map.insert_or_assign(key, i);
        model[key] = i;
      } else {
        map.erase(key);
        model.erase(key);
      }
    }
    using Entries = std::vector<std::pair<std::string, int>>;
    EXPECT_EQ(Entries(map.begin(), map.end()), Entries(model.begin(), model.end()));
    EXPECT_EQ(Entries(fork.begin(), fork.end()), Entries(before.begin(), before.end()));
    EXPECT_EQ(map.size(), model.size());
    for (int i = 0; i < 1000; i += 7) {
      const auto key = std::to_string(i);
      EXPECT_EQ(map.contains(key), model.contains(key));
      const auto at = map.lower_bound(key);
      const auto expected = model.lower_bound(key);
      ASSERT_EQ(at == map.end(), expected == model.end());
      if (at != map.end()) {
        EXPECT_EQ(at->first, expected->first);
      }
    }
  }
  for (const auto& [key, value] : model) map.erase(key);
  EXPECT_TRUE(map.empty());
  EXPECT_TRUE(map.begin() == map.end());
}

TEST(CowMap, AgreesWithAMapOverManyShards) {
  CowMap<std::string, int> map;
  std::map<std::string, int> expected;
  for (int i = 0; i < 1000; ++i) map[std::to_string(i)] = expected[std::to_string(i)] = i;
  const auto fork = map;
  const auto expected_of_fork = expected;
  for (int i = 0; i < 1000; i += 3) {
    map.erase(std::to_string(i));
    expected.erase(std::to_string(i));
  }
  map["7"] = expected["7"] = -7;
  map.erase(std::string("unknown"));

  const auto all = [](const CowMap<std::string, int>& m) {
    std::map<std::string, int> out;
    m.each([&](const std::string& key, int value) { out[key] = value; });
    return out;
  };
  EXPECT_EQ(all(map), expected);
  EXPECT_EQ(map.size(), expected.size());
  EXPECT_EQ(all(fork), expected_of_fork);
  EXPECT_EQ(map.find("3"), nullptr);
  EXPECT_EQ(*fork.find("3"), 3);
}

// Values with equal hashes, as crafted names may have.
TEST(CowIndex, DistinguishesValuesOfOneHash) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  const auto present = [&](const CowIndex<int>& index) {
    std::vector<std::string> out;
    for (int i = 0; i < 4; ++i) {
      const auto* found = index.find(42, [&](int value) { return value == i; });
      if (found) out.push_back(names[*found]);
    }
    return out;
  };
  CowIndex<int> index;
  for (int i = 0; i < 4; ++i) index.insert(42, i);
  const auto fork = index;
  EXPECT_THAT(present(index), UnorderedElementsAre("a", "b", "c", "d"));
  index.erase(42, 0);
  EXPECT_THAT(present(index), UnorderedElementsAre("b", "c", "d"));
  index.erase(42, 2);
  EXPECT_THAT(present(index), UnorderedElementsAre("b", "d"));
  index.erase(42, 1);
  index.erase(42, 3);
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(fork.size(), 4u);
  EXPECT_THAT(present(fork), UnorderedElementsAre("a", "b", "c", "d"));
  index.insert(42, 2);
  EXPECT_THAT(present(index), UnorderedElementsAre("c"));
}

}  // namespace
}  // namespace podium::cluster
