// The last evictions by victim: which are kept.
#include "controller/recorder/eviction_memory.h"

#include <gtest/gtest.h>

#include <string>

namespace podium::controller {
namespace {

TEST(EvictionMemory, ForgetsTheOldest) {
  EvictionMemory memory;
  const auto name = [](std::size_t victim) { return EvictionMemory::Name{"shop", std::to_string(victim)}; };
  const auto add = [&](std::size_t victim) {
    return memory.add(name(victim), {{"ml", "vip"}, "v", "n1", std::nullopt});
  };
  for (std::size_t i = 0; i < EvictionMemory::kKept; ++i) EXPECT_TRUE(add(i));
  EXPECT_FALSE(add(0)) << "known";
  EXPECT_TRUE(memory.find(name(0)));
  EXPECT_TRUE(memory.add(name(0), {{"ml", "other"}, "o", "n2", std::nullopt}));
  EXPECT_TRUE(add(EvictionMemory::kKept));
  ASSERT_TRUE(memory.find(name(0))) << "it was evicted again";
  EXPECT_EQ(memory.find(name(0))->node, "n2");
  EXPECT_FALSE(memory.find(name(1)));
  EXPECT_TRUE(memory.find(name(2)));
}

}  // namespace
}  // namespace podium::controller
