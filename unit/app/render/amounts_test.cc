// Amounts as people write them.
#include "app/render/amounts.h"
#include "api/values/quantity.h"

#include <gtest/gtest.h>

#include <string>

namespace podium::render {
namespace {

TEST(Amounts, WhatIsMissingIsNeverLess) {
  const struct {
    const char *resource, *quantity, *words;
  } cases[] = {
      {"cpu", "54250m", "54.25"},
      {"cpu", "3200m", "3.2"},
      {"cpu", "500m", "500m"},
      {"cpu", "0.5", "500m"},
      {"cpu", "1", "1"},
      {"cpu", "1001m", "1.001"},
      {"cpu", "10", "10"},
      {"memory", "2816Mi", "2.75Gi"},
      {"memory", "2817Mi", "2.76Gi"},
      {"memory", "1024Mi", "1Gi"},
      {"memory", "1025Mi", "1.01Gi"},
      {"memory", "1048575Ki", "1Gi"},
      {"memory", "2147483647", "2Gi"},
      {"memory", "512Mi", "512Mi"},
      {"memory", "10Gi", "10Gi"},
      {"memory", "1023", "1023"},
      {"memory", "1500Gi", "1.47Ti"},
      {"memory", "0", "0"},
      {"memory", "8Ei", "8192Pi"},
      {"ephemeral-storage", "1536Mi", "1.5Gi"},
      {"hugepages-2Mi", "1030Mi", "1.01Gi"},
      {"nvidia.com/gpu", "1024", "1024"},
      {"cpu", "-1500m", "-1500m"},
      {"cpu", "four", "four"},
      {"memory", "", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(rounded_up(c.resource, c.quantity), c.words) << c.quantity;
}

TEST(Amounts, WhatAPodAsksForIsAsKubectlWritesIt) {
  const struct {
    const char *resource, *quantity, *words;
  } cases[] = {
      {"cpu", "1500m", "1500m"},      {"cpu", "250m", "250m"},      {"memory", "2560Mi", "2560Mi"},
      {"memory", "2817Mi", "2817Mi"}, {"memory", "512Gi", "512Gi"}, {"memory", "100M", "100M"},
      {"memory", "1024Mi", "1Gi"},    {"memory", "1G", "1G"},       {"nvidia.com/gpu", "8", "8"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(exact(c.resource, *api::Quantity::parse(c.quantity)), c.words) << c.quantity;
}

TEST(Amounts, WhatIsFreeIsNeverMoreAndNeverDenied) {
  EXPECT_EQ(requested_of_free("cpu", "4", "3200m"), "4 of 3200m") << "as kubectl writes both";
  EXPECT_EQ(requested_of_free("memory", "512Mi", "65423Mi"), "512Mi of 63.88Gi") << "of 63.889";
  EXPECT_EQ(requested_of_free("memory", "64Gi", "65535Mi"), "64Gi of 63.99Gi");
  EXPECT_EQ(requested_of_free("memory", "1025Mi", "1026Mi"), "1025Mi of 1026Mi") << "1Gi would be too little";
  EXPECT_EQ(requested_of_free("memory", "1026Mi", "1025Mi"), "1026Mi of 1Gi");
  EXPECT_EQ(requested_of_free("memory", "1Gi", "0"), "1Gi of 0");
  EXPECT_EQ(requested_of_free("example.com/x", "3", "2"), "3 of 2");
  EXPECT_EQ(requested_of_free("cpu", "some", "2000m"), "some of 2000m");
}

}  // namespace
}  // namespace podium::render
