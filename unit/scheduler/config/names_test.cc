#include "scheduler/config/schema/names.h"

#include <gtest/gtest.h>

namespace podium::config {
namespace {

TEST(Names, OfLabels) {
  struct Case {
    std::string key;
    std::size_t errors;
  };
  const Case keys[] = {
      {"app", 0},
      {"example.com/app", 0},
      {"a_b.c-D", 0},
      {std::string(63, 'x'), 0},
      {"", 2},
      {"-app", 1},
      {"app-", 1},
      {"a b", 1},
      {"/app", 1},
      {"Example.com/app", 1},
      {"a..b/app", 1},
      {"a/b/c", 1},
      {std::string(64, 'x'), 1},
      {std::string(254, 'x') + "/app", 1},
  };
  for (const auto& c : keys) EXPECT_EQ(check_label_key(c.key).size(), c.errors) << c.key;

  const Case values[] = {{"", 0}, {"v1.2_x-Y", 0}, {"-", 1}, {"a/b", 1}, {std::string(64, 'x'), 1}};
  for (const auto& c : values) EXPECT_EQ(check_label_value(c.key).size(), c.errors) << c.key;

  const Case namespaces[] = {{"kube-system", 0}, {"", 1}, {"A", 1}, {"a.b", 1}, {std::string(64, 'x'), 1}};
  for (const auto& c : namespaces) EXPECT_EQ(check_dns_label(c.key).size(), c.errors) << c.key;
}

}  // namespace
}  // namespace podium::config
