// The pods that wait, with podium's reports of them.
//
// Threads: the Cluster's. Errors: as Cluster's.
#pragma once

#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/render/pending.h"

namespace podium::kubectl {

struct Waiting {
  std::vector<render::WaitingGroup> groups;
  bool installed = true;  // the API server serves SchedulingReports
};

// `ns`: empty for all namespaces.
Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns);

}  // namespace podium::kubectl
