// PathPattern and percent_decode, with the paths that an attacker sends.
#include "server/path_pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace podium::server {
namespace {

using namespace std::string_literals;

std::string matched(const PathPattern& pattern, std::string_view path) {
  const auto match = pattern.match(path);
  if (!match) return "another path";
  if (!*match) return match->error().message;
  return fmt::format("{:?}", fmt::join(**match, " "));
}

TEST(PathPattern, Matches) {
  const PathPattern pattern("/v1/namespaces/{namespace}/pods/{pod}/scores");
  struct Case {
    const char *path, *result;
  };
  const Case cases[] = {
      {"/v1/namespaces/shop/pods/web/scores", "\"shop\" \"web\""},
      {"/v1/namespaces/sh%6fp/pods/web%2D1/scores", "\"shop\" \"web-1\""},
      {"/v1/namespaces/%2E%2E%2Fx/pods/a%00b/scores", "\"../x\" \"a\\x00b\""},
      {"/v1/namespaces//pods/web/scores", "\"\" \"web\""},
      {"/v1/namespaces/a%2/pods/web/scores", "'%' needs two hexadecimal digits"},
      {"/v1/namespaces/a%zz/pods/web/scores", "'%' needs two hexadecimal digits"},
      {"/v1/namespaces/%/pods/web/scores", "'%' needs two hexadecimal digits"},
      {"/v1/namespaces/shop/pods/web/%73cores", "another path"},
      {"/v1/namespaces/shop/pods/web/scores/", "another path"},
      {"/v1/namespaces/../x/pods/web/scores", "another path"},
      {"//v1/namespaces/shop/pods/web/scores", "another path"},
      {"/V1/namespaces/shop/pods/web/scores", "another path"},
      {"/v1/namespaces/shop/pods/web", "another path"},
      {"", "another path"},
  };
  for (const auto& c : cases) EXPECT_EQ(matched(pattern, c.path), c.result) << c.path;
}

TEST(PathPattern, DecodesOnce) {
  EXPECT_EQ(*percent_decode("%252F"), "%2F");
  EXPECT_EQ(*percent_decode("%00"), "\0"s);
}

}  // namespace
}  // namespace podium::server
