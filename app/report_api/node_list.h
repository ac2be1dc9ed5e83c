// The nodes with what they have and what the pods on them request, for the page and other programs.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "api/values/selector.h"
#include "base/result.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::app::report_api {

struct WantedNodes {
  bool zones_only = false;                     // no items
  std::optional<api::LabelSelector> selector;  // of the items; the zones are always those of all nodes
};
// Reads the parameters of the request. Errors: Kind::invalid, "selector: reason".
Result<WantedNodes> wanted_nodes(const boost::json::object& parameters);

inline constexpr std::size_t kMostNodes = 20'000, kMostResources = 32;

// {"metadata": {"leader", "nodes", "cordoned", "selector"}, "resources": [name…], "zones": [{"name", "nodes",
// "cordoned", "allocatable": [amount…], "requested": [amount…], "free": [amount…]}…], "items": [{"name",
// "zone", "cordoned", "pods", "allocatable", "requested"}…]}. Amounts are in the order of resources: cpu in
// thousandths of a core, all others in whole units. free: on nodes that are not cordoned. A node without a
// zone is in the zone "". Items are sorted by name, the first kMostNodes.
boost::json::object node_list(const cluster::Snapshot& snapshot, const std::string& leader,
                              const WantedNodes& wanted);

}  // namespace podium::app::report_api
