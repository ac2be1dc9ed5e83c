// The nodes with what they have and what the pods on them request, for the page and other programs.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "scheduler/cluster/snapshot.h"

namespace podium::app::report_api {

inline constexpr std::size_t kMostNodes = 20'000, kMostResources = 32;

// {"metadata": {"leader", "nodes", "cordoned"}, "resources": [name…], "zones": [{"name", "nodes", "cordoned",
// "allocatable": [amount…], "requested": [amount…], "free": [amount…]}…], "items": [{"name", "zone",
// "cordoned", "pods", "allocatable", "requested"}…]}. Amounts are in the order of resources: cpu in
// thousandths of a core, all others in whole units. free: on nodes that are not cordoned. A node without a
// zone is in the zone "". `zones_only`: no items. Items are sorted by name, the first kMostNodes.
boost::json::object node_list(const cluster::Snapshot& snapshot, const std::string& leader, bool zones_only);

}  // namespace podium::app::report_api
