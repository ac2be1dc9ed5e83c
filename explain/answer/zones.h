// Counts the replicas of an answer by zone.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "explain/report/what_if_parts.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

using Zones = std::map<std::string, ZonePlacements>;  // by name

// The zones of the placed pods; `now` is set.
Zones zones_now(const std::vector<cluster::PodInfoPtr>& placed, const cluster::Snapshot& fork);
// The zones of all nodes, and those of `zones`. `rows`: the nodes of the replicas.
std::vector<ZonePlacements> count_zones(const cluster::Snapshot& fork, const std::vector<cluster::Row>& rows,
                                        Zones zones);

}  // namespace podium::explain
