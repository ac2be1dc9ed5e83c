// The events about an object, which the API server keeps for an hour by default.
//
// Threads: the Cluster's. Errors: none; events that the user may not list do not exist.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/kubectl/cluster.h"
#include "base/instant.h"

namespace podium::kubectl {

std::vector<boost::json::value> events_about(Cluster& cluster, const std::string& ns, std::string_view kind,
                                             const std::string& name, std::string_view reason);
// An event that was repeated has the time of its last occurrence.
std::optional<Wall> time_of_event(const boost::json::value& event);

// Why the controller of this workload could not create its pods the last time, in its words; empty: it has
// created them. Only a ReplicaSet, a Deployment and a ReplicationController also have it in their status.
std::string creation_failure(Cluster& cluster, const std::string& ns, std::string_view kind,
                             const boost::json::value& workload);

}  // namespace podium::kubectl
