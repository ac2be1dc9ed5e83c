// The list of nodes with their zones.
#include "app/report_api/node_list.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "unit/support/builders.h"

namespace podium::app::report_api {
namespace {

namespace json = boost::json;

// The scheduler does not use the room of a cordoned node.
TEST(NodeList, ACordonedNodeHasNoFreeRoom) {
  cluster::Snapshot snapshot;
  snapshot.set_node(test::node("n1").cap("cpu", "4").ptr());
  snapshot.set_node(test::node("n2").cap("cpu", "4").unschedulable().ptr());
  const auto zone = node_list(snapshot, "podium-0", {.zones_only = true, .selector = {}}).at("zones").at(0);
  EXPECT_EQ(zone.at("nodes"), 2);
  EXPECT_EQ(zone.at("cordoned"), 1);
  EXPECT_EQ(zone.at("allocatable").at(0), 8000);
  EXPECT_EQ(zone.at("free").at(0), 4000);
}

TEST(NodeList, SumsOfLargeAmountsEndAtTheMost) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  cluster::Snapshot snapshot;
  for (const auto* name : {"n1", "n2"}) {
    snapshot.set_node(test::node(name).cap("memory", "9E").ptr());
    for (const auto* number : {"1", "2"}) {
      const api::Pod pod = test::pod(std::string(name) + number)
                               .uid(std::string(name) + number)
                               .node(name)
                               .req("memory", "9E");
      snapshot.add_pod(cluster::make_pod_info(test::share(pod)));
    }
  }
  const auto zone = node_list(snapshot, "podium-0", {.zones_only = true, .selector = {}}).at("zones").at(0);
  EXPECT_EQ(zone.at("allocatable").at(1), kMost);
  EXPECT_GE(zone.at("free").at(1).as_int64(), 0);
}

TEST(NodeList, ASelectorIsOfTheSingleNodes) {
  cluster::Snapshot snapshot;
  for (const auto& [name, pool] : {std::pair("n1", "big"), {"n2", "small"}, {"n3", "big"}})
    snapshot.set_node(test::node(name).label("pool", pool).cap("cpu", "4").ptr());
  const auto wanted = wanted_nodes({{"selector", "pool in (big, huge)"}});
  ASSERT_TRUE(wanted) << wanted.error().text();
  const auto list = node_list(snapshot, "podium-0", *wanted);
  ASSERT_EQ(list.at("items").as_array().size(), 2u);
  EXPECT_EQ(list.at("items").at(1).at("name"), "n3");
  EXPECT_EQ(list.at("zones").at(0).at("nodes"), 3);
  EXPECT_EQ(
      list.at("metadata").at("selector"),
      json::parse(R"({"matchExpressions": [{"key": "pool", "operator": "In", "values": ["big", "huge"]}]})"));
  const auto wrong = wanted_nodes({{"selector", "pool in big"}});
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().message.starts_with("selector: ")) << wrong.error().message;
}

}  // namespace
}  // namespace podium::app::report_api
