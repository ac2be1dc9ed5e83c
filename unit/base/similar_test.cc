// Names that resemble a mistyped one.
#include "base/similar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "unit/support/cost.h"

namespace podium {
namespace {

using Names = std::vector<std::string>;

TEST(Similar, TheNearestComeFirst) {
  const Names nodes{"gpu-a", "general-02", "general-01", "general-11", "general-1-old"};
  EXPECT_EQ(similar("general-1", nodes), (Names{"general-01", "general-11", "general-02", "general-1-old"}));
  EXPECT_EQ(similar("gpu", nodes), Names{"gpu-a"});
  EXPECT_EQ(similar("worker", nodes), Names{});
}

TEST(Similar, TheFirstThreeAreSuggested) {
  EXPECT_EQ(suggestion({}), "");
  EXPECT_EQ(suggestion({"a"}), "Did you mean a?");
  EXPECT_EQ(suggestion({"a", "b"}), "Did you mean a or b?");
  EXPECT_EQ(suggestion({"a", "b", "c", "d"}), "Did you mean a, b or c?");
}

TEST(Similar, AShortWordMayDifferInFewLetters) {
  EXPECT_FALSE(is_typo("foo", "top"));
  EXPECT_FALSE(is_typo("a1", "w1")) << "each word of two letters resembles each other";
  EXPECT_FALSE(is_typo("a", "b"));
  EXPECT_FALSE(is_typo("n1", "n-2"));
  EXPECT_TRUE(is_typo("n1", "n-1"));
  EXPECT_TRUE(is_typo("w1", "w2"));
  EXPECT_TRUE(is_typo("wy", "why"));
  EXPECT_TRUE(is_typo("tpo", "top")) << "swapped letters";
  EXPECT_FALSE(is_typo("tpox", "top"));
  EXPECT_TRUE(is_typo("seel", "sel"));
  EXPECT_FALSE(is_typo("seel", "se"));
  EXPECT_TRUE(is_typo("their", "there"));
  EXPECT_FALSE(is_typo("drains", "dra"));
  EXPECT_FALSE(is_typo("web", ""));
}

// similar() finds the words that a typing error makes. distance() is the slow way to the same answer.
TEST(Similar, IsWhatIsNear) {
  std::mt19937 numbers(1);
  const auto word = [&] {
    std::string out(numbers() % 7, ' ');
    for (auto& letter : out) letter = "abc"[numbers() % 3];
    return out;
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto name = word(), typed = word();
    auto apart = distance(name, typed);
    for (std::size_t j = 1; j < typed.size(); ++j) {
      auto swapped = typed;
      std::swap(swapped[j - 1], swapped[j]);
      if (swapped == name) apart = std::min<std::size_t>(apart, 1);
    }
    const bool begins_alike = typed.size() > 2 || name.substr(0, 1) == typed.substr(0, 1);
    const bool is_near = name.starts_with(typed) || (begins_alike && apart <= (typed.size() <= 4 ? 1u : 2u));
    EXPECT_EQ(!similar(typed, {name}).empty(), is_near) << name << " and " << typed;
  }
}

// A pod may name a node of 253 letters that does not exist.
TEST(Similar, CostsTheLettersOfTheNames) {
  EXPECT_TRUE(test::is_linear(2'000, [](std::size_t n) -> test::Work {
    const std::string typed = std::string(n, 'n') + "x";
    return
        [typed, names = Names(4, std::string(n, 'n') + "y")] { EXPECT_EQ(similar(typed, names).size(), 4u); };
  }));
}

TEST(Listed, SaysHowManyMore) {
  EXPECT_EQ(listed({"a"}, 3), "a");
  EXPECT_EQ(listed({"a", "b", "c"}, 3), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c"}, 3, 9), "a, b, c and 6 more");
  EXPECT_EQ(listed({}, 3, 2), "2 more");
}

}  // namespace
}  // namespace podium
