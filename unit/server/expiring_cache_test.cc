#include "server/expiring_cache.h"

#include <gtest/gtest.h>

namespace podium::server {
namespace {

constexpr Steady at(int seconds) { return Steady(std::chrono::seconds(seconds)); }

TEST(ExpiringCache, ForgetsWhatHasExpired) {
  ExpiringCache<int> cache(8);
  cache.put("a", 1, at(10));
  EXPECT_EQ(cache.find("a", at(9)), 1);
  EXPECT_EQ(cache.find("a", at(10)), std::nullopt);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(ExpiringCache, ForgetsWhatWasUsedLeastRecently) {
  ExpiringCache<int> cache(2);
  cache.put("a", 1, at(10));
  cache.put("b", 2, at(10));
  EXPECT_EQ(cache.find("a", at(0)), 1);
  cache.put("c", 3, at(10));
  EXPECT_EQ(cache.find("b", at(0)), std::nullopt);
  EXPECT_EQ(cache.find("a", at(0)), 1);
  cache.put("a", 4, at(20));
  EXPECT_EQ(cache.find("a", at(15)), 4);
  EXPECT_EQ(cache.size(), 2u);
}

}  // namespace
}  // namespace podium::server
