// A pod that has a node and is not bound yet: its binding waits, for volumes, claims or a permit.
//
// Threads: the Cluster's. Errors: none; claims that the user may not read are not named.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "app/kubectl/cluster.h"
#include "app/render/report.h"

namespace podium::kubectl {

// Whether it is such a pod. `report`: podium's last report, which may be from before its node was chosen.
bool waits_for_binding(const boost::json::value& pod, const std::optional<render::Report>& report);

// "shop/db goes to n-1, and is not bound yet: its claim data has no volume.\n"; empty: it is not such a
// pod, or the report says it. Reads the pod's claims.
std::string binding_words(Cluster& cluster, const boost::json::value& pod,
                          const std::optional<render::Report>& report);

}  // namespace podium::kubectl
