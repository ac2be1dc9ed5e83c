// Names that resemble a mistyped one.
#include "base/similar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podium {
namespace {

using Names = std::vector<std::string>;

TEST(Similar, TheNearestComeFirst) {
  const Names nodes{"gpu-a", "general-02", "general-01", "general-11", "general-1-old"};
  EXPECT_EQ(similar("general-1", nodes), (Names{"general-01", "general-11", "general-02", "general-1-old"}));
  EXPECT_EQ(similar("gpu", nodes), Names{"gpu-a"});
  EXPECT_EQ(similar("worker", nodes), Names{});
}

TEST(Listed, SaysHowManyMore) {
  EXPECT_EQ(listed({"a"}, 3), "a");
  EXPECT_EQ(listed({"a", "b", "c"}, 3), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c"}, 3, 9), "a, b, c and 6 more");
  EXPECT_EQ(listed({}, 3, 2), "2 more");
}

}  // namespace
}  // namespace podium
