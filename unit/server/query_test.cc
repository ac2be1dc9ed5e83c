// The parameters of a query, as browsers, curl and Go's url.Values encode them.
#include "server/query.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace podium::server {
namespace {

// "a is b; c is d".
std::string said(std::string_view query) {
  const auto read = read_query(query);
  if (!read) return read.error().message;
  std::string out;
  for (const auto& [name, value] : *read)
    out += fmt::format("{}{} is {}", out.empty() ? "" : "; ", name, value);
  return out;
}

TEST(Query, IsDecodedAsAForm) {
  struct Case {
    const char *query, *read;
  };
  const Case cases[] = {
      {"", ""},
      {"a=b", "a is b"},
      {"a", "a is "},
      {"selector=zone+in+(a%2C+b)", "selector is zone in (a, b)"},
      {"selector=zone%20in%20(a)", "selector is zone in (a)"},
      {"continue=a%2Bb", "continue is a+b"},
      {"a+b=1&a+b=2", "a b is 1; a b is 2"},
      {"a%3Db=c=d", "a=b is c=d"},
      {"a%252B=", "a%2B is "},
      {"a=%", "the query is not encoded correctly"},
      {"a=%zz", "the query is not encoded correctly"},
  };
  for (const auto& c : cases) EXPECT_EQ(said(c.query), c.read) << c.query;
}

}  // namespace
}  // namespace podium::server
