// The parameters of a query.
#include "app/report_api/routes.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace podium::app::report_api {
namespace {

std::string read(std::string_view query) {
  const auto fields = read_parameters(query, question_parameters());
  return fields ? boost::json::serialize(*fields) : fields.error().message;
}

TEST(Parameters, AreReadOrRefusedByName) {
  struct Case {
    const char *query, *result;
  };
  const Case cases[] = {
      {"", "{}"},
      {"replicas=3", R"({"replicas":3})"},
      {"profile=a&replicas=10000", R"({"profile":"a","replicas":10000})"},
      {"profil%65=%61", R"({"profile":"a"})"},
      {"minCount=2&topologyKey=zone", R"({"minCount":2,"topologyKey":"zone"})"},
      {"nodes=n1,n2", R"({"nodes":["n1","n2"]})"},
      {"nodes=n1", R"({"nodes":["n1"]})"},
      {"strategies=A=5,B=0", R"({"strategies":[{"name":"A","weight":5},{"name":"B","weight":0}]})"},
      {"strategies=A", "strategies: \"A\" must be NAME=WEIGHT"},
      {"strategies=A=x", "strategies: \"A=x\" must be NAME=WEIGHT"},
      {"fixes=true", R"({"fixes":true})"},
      {"room=true", R"({"room":true})"},
      {"fixes=1", "fixes: must be true or false"},
      {"replicas=0", "replicas: must be an integer between 1 and 10000"},
      {"replicas=10001", "replicas: must be an integer between 1 and 10000"},
      {"replicas=99999999999999999999", "replicas: must be an integer between 1 and 10000"},
      {"replicas=+3", "replicas: must be an integer between 1 and 10000"},
      {"replicas=3.0", "replicas: must be an integer between 1 and 10000"},
      {"replicas", "replicas: must be an integer between 1 and 10000"},
      {"replicas=1&replicas=2", "replicas: given twice"},
      {"profile=", "profile: must be 1 to 4096 printable characters"},
      {"profile=a%00b", "profile: must be 1 to 4096 printable characters"},
      {"profile=%ff", "profile: must be 1 to 4096 printable characters"},
      {"colour=red",
       "unknown query parameter \"colour\" (known: replicas, minCount, topologyKey, nodes, strategies, "
       "fixes, room, profile, seed, allNamespaces, words)"},
      {"Replicas=3",
       "unknown query parameter \"Replicas\" (known: replicas, minCount, topologyKey, nodes, strategies, "
       "fixes, room, profile, seed, allNamespaces, words)"},
      {"replicas=3&",
       "unknown query parameter \"\" (known: replicas, minCount, topologyKey, nodes, strategies, fixes, "
       "room, profile, seed, allNamespaces, words)"},
      {"a%2", "the query is not encoded correctly"},
  };
  for (const auto& c : cases) EXPECT_EQ(read(c.query), c.result) << c.query;
}

TEST(Parameters, OfASelectorHaveSpacesAsAFormEncodesThem) {
  const auto fields = read_parameters("selector=zone+in+(a,%20b),tier%3Dx%2By", node_parameters());
  ASSERT_TRUE(fields) << fields.error().message;
  EXPECT_EQ(boost::json::serialize(*fields), R"({"selector":"zone in (a, b),tier=x+y"})");
}

TEST(Parameters, OfAReadThereAreNone) {
  EXPECT_TRUE(read_parameters("", {}));
  EXPECT_EQ(read_parameters("pretty=true", {}).error().message,
            "unknown query parameter \"pretty\" (known: none)");
}

}  // namespace
}  // namespace podium::app::report_api
