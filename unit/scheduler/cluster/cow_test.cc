// Copy-on-write boxes, maps, indexes and columns: a copy never sees what another writes.
#include "scheduler/cluster/cow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"

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
TEST(CowIndex, TellsValuesOfOneHashApart) {
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
