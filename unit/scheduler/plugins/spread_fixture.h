// What the tests of PodTopologySpread share: pods with a label "foo", and nodes in two zones.
#pragma once

#include <string>
#include <vector>

#include "scheduler/plugins/pod_topology_spread/pod_topology_spread.h"
#include "unit/scheduler/plugins/topology_fixture.h"

namespace podium::plugins::topology_test::spread_test {

using namespace podium::test;

inline constexpr auto kZone = "topology.kubernetes.io/zone";
inline constexpr auto kHostname = "kubernetes.io/hostname";

inline const PodTopologySpread kNoDefaults({}, false);

// Two nodes in zone1, two in zone2.
inline std::vector<api::Node> four_nodes() {
  return {node("a").zone("zone1"), node("b").zone("zone1"), node("x").zone("zone2"), node("y").zone("zone2")};
}
inline PodBuilder foo() { return pod("incoming").label("foo", ""); }
inline SpreadBuilder over(const char* key) { return spread(key).selector(select_where({exists("foo")})); }

}  // namespace podium::plugins::topology_test::spread_test
