// Sums of the resources of a pod that names tens of thousands.
#include "api/values/resource_sum.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/container_hash/hash.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unit/support/cost.h"

namespace podium::api {
namespace {

// Names whose hashes agree in the bits by which boost's maps place them: a map of them compares each with all
// others. Anyone can find such names.
std::vector<std::string> names_of_one_place(std::size_t count, int upper_bits) {
  const boost::hash<std::string_view> hash;
  std::vector<std::string> out;
  for (std::uint64_t i = 0; out.size() < count; ++i) {
    auto name = fmt::format("a/{:x}", i);
    const auto place = hash(name);
    if (place >> (64 - upper_bits) == 0 && (place & 0xFF) == 77) out.push_back(std::move(name));
  }
  return out;
}

TEST(ResourceSum, NamesOfOneHashCostTheirNumber) {
  constexpr double kOfMemory = 3;  // a list that grows
  const auto prepare = [](std::size_t n) -> test::Work {
    const auto names = std::make_shared<std::vector<std::string>>(names_of_one_place(n, n > 300 ? 6 : 5));
    return [names] {
      ResourceSum sum;
      for (const auto& name : *names) sum.add(name, Quantity::from_units(1));
      for (const auto& name : *names) EXPECT_EQ(sum.get(name), Quantity::from_units(1));
    };
  };
  EXPECT_TRUE(test::is_linear(300, prepare, kOfMemory));
}

}  // namespace
}  // namespace podium::api
