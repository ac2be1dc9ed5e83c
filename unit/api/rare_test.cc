// Rare: an optional value; copies share it.
#include "api/values/rare.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/heap_bytes.h"

namespace podium::api {
namespace {

TEST(Rare, IsEqualByItsValue) {
  const Rare<std::string> none, one(std::string("a")), same(std::string("a")), other(std::string("b"));
  EXPECT_FALSE(none);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->size(), 1u);
  EXPECT_EQ(none, Rare<std::string>());
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
  EXPECT_NE(one, none);
  EXPECT_NE(none, one);
}

TEST(Rare, CopiesShareTheValue) {
  Rare<std::string> one(std::string("x"));
  const auto copy = one;
  EXPECT_EQ(&*copy, &*one);
  one = std::string("y");
  EXPECT_EQ(*copy, "x");
  EXPECT_EQ(*one, "y");
  const auto moved = std::move(one);
  EXPECT_EQ(*moved, "y");
}

TEST(Rare, CountsAsMemory) {
  EXPECT_EQ(sizeof(Rare<std::string>), sizeof(void*));
  EXPECT_EQ(heap_bytes(Rare<std::string>()), 0u);
  EXPECT_GE(heap_bytes(Rare<std::string>(std::string(1000, 'x'))), 1000u);
}

}  // namespace
}  // namespace podium::api
