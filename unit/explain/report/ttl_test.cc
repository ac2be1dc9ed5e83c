// spec.ttlSeconds: how long a report is kept.
#include "explain/report/ttl.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace podium::explain {
namespace {

using namespace std::chrono_literals;

TEST(ReportTtl, TheDefaultWhereTheSpecIsOutOfBounds) {
  struct Case {
    const char* spec;
    std::chrono::seconds ttl;
  };
  const Case cases[] = {
      {R"({"ttlSeconds": 3600})", 1h},
      {R"({"ttlSeconds": 2592000})", 720h},
      {R"({"ttlSeconds": 2592001})", 600s},
      {R"({"ttlSeconds": 0})", kKept},
      {R"({"ttlSeconds": -1})", 600s},
      {R"({"ttlSeconds": "5"})", 600s},
      {"{}", 600s},
      {"null", 600s},
  };
  for (const auto& c : cases) {
    const auto spec = boost::json::parse(c.spec);
    EXPECT_EQ(report_ttl(&spec, 600s), c.ttl) << c.spec;
  }
  EXPECT_EQ(report_ttl(nullptr, 600s), 600s);
}

}  // namespace
}  // namespace podium::explain
