// Quantities in the unit that people use.
#include <gtest/gtest.h>

#include "scheduler/plugins/node_resources/shortfall.h"

namespace podium::plugins {
namespace {

TEST(UsualQuantity, InTheUnitOfTheResource) {
  struct Case {
    const char* resource;
    std::int64_t amount;
    const char* text;
  };
  constexpr std::int64_t kMi = 1024 * 1024;
  const Case cases[] = {
      {"cpu", 1, "1m"},
      {"cpu", 1500, "1500m"},
      {"cpu", 2000, "2"},
      {"memory", 1000, "1000"},
      {"memory", 1025, "2Ki"},
      {"memory", kMi - 1, "1024Ki"},
      {"memory", kMi, "1Mi"},
      {"memory", 3 * kMi + 1, "4Mi"},
      {"memory", 2048 * kMi, "2Gi"},
      {"memory", 1500 * kMi, "1500Mi"},
      {"ephemeral-storage", kMi, "1Mi"},
      {"hugepages-2Mi", 2 * kMi, "2Mi"},
      {"nvidia.com/gpu", 3000, "3000"},
      {"pods", 1, "1"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(usual_quantity(c.resource, c.amount), c.text) << c.resource << c.amount;
}

}  // namespace
}  // namespace podium::plugins
