#include "base/problems.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace podium {
namespace {

TEST(Problems, AreALineEach) {
  Problems problems;
  EXPECT_FALSE(problems);
  EXPECT_EQ(problems.value_of(Result<int>(3)), 3);
  EXPECT_FALSE(problems);
  EXPECT_EQ(problems.value_of(Result<int>(invalid("a: is not a number"))), std::nullopt);
  problems.add("b: is missing");
  EXPECT_TRUE(problems);
  EXPECT_EQ(problems.error().kind, Error::Kind::invalid);
  EXPECT_EQ(problems.error().message, "a: is not a number\nb: is missing");
}

TEST(Problems, HaveABound) {
  Problems problems;
  for (std::size_t i = 0; i < Problems::kMostShown + 7; ++i) problems.add("wrong");
  const auto message = problems.error().message;
  EXPECT_EQ(std::ranges::count(message, '\n'), Problems::kMostShown);
  EXPECT_TRUE(message.ends_with("wrong\nand 7 more")) << message;
}

}  // namespace
}  // namespace podium
