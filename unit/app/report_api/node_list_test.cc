// The list of nodes with their zones.
#include "app/report_api/node_list.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "unit/support/builders.h"

namespace podium::app::report_api {
namespace {

namespace json = boost::json;

// The scheduler does not use the room of a cordoned node.
TEST(NodeList, ACordonedNodeHasNoFreeRoom) {
  cluster::Snapshot snapshot;
  snapshot.set_node(test::node("n1").cap("cpu", "4").ptr());
  snapshot.set_node(test::node("n2").cap("cpu", "4").unschedulable().ptr());
  const auto zone = node_list(snapshot, "podium-0", true).at("zones").at(0);
  EXPECT_EQ(zone.at("nodes"), 2);
  EXPECT_EQ(zone.at("cordoned"), 1);
  EXPECT_EQ(zone.at("allocatable").at(0), 8000);
  EXPECT_EQ(zone.at("free").at(0), 4000);
}

}  // namespace
}  // namespace podium::app::report_api
