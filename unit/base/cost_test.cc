// The meter of the tests of cost: unit/support/cost.h.
#include "unit/support/cost.h"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace podium::test {
namespace {

[[maybe_unused]] Work squares(std::size_t n) {
  return [n] {
    std::vector<std::size_t> sums;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) sums.push_back(i + j);
    }
  };
}

Work line(std::size_t n) {
  return [n] {
    std::vector<std::size_t> sums;
    for (std::size_t i = 0; i < n; ++i) sums.push_back(i);
  };
}

TEST(Cost, SeparatesLinearFromQuadraticWork) {
  EXPECT_TRUE(is_linear(1000, line));
#if defined(__SANITIZE_ADDRESS__)
  const auto result = is_linear(100, squares);
  EXPECT_FALSE(result);
  EXPECT_NE(std::string(result.message()).find("at 100: "), std::string::npos) << result.message();
  EXPECT_NE(std::string(result.message()).find("at 200: "), std::string::npos) << result.message();
#endif
}

#if defined(__SANITIZE_ADDRESS__)
TEST(Cost, CountsBytesThatComeAndGo) {
  std::unique_ptr<char[]> kept;
  const auto cost = cost_of([&] {
    {
      const std::vector<char> passing(1000);
    }
    kept = std::make_unique<char[]>(500);
  });
  EXPECT_EQ(cost.allocated, 1500);
  EXPECT_EQ(cost.peak, 1000);
  EXPECT_EQ(cost.kept, 500);
  EXPECT_EQ(cost_of([&] { kept.reset(); }).kept, -500);
}

TEST(Cost, WorkThatThrowsIsCountedNoFurther) {
  std::unique_ptr<char[]> later;
  const auto outer = cost_of([&] {
    EXPECT_THROW(cost_of([] { throw std::runtime_error("work"); }), std::runtime_error);
    later = std::make_unique<char[]>(5000);
  });
  EXPECT_GE(outer.kept, 4000) << "the exception was allocated by the inner work";
}
#endif

}  // namespace
}  // namespace podium::test
