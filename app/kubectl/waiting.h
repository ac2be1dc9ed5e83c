// The pods that wait, with podium's reports of them.
//
// Threads: the Cluster's. Errors: as Cluster's.
#pragma once

#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/kubectl/manifest.h"
#include "app/render/pending.h"

namespace podium::kubectl {

struct Waiting {
  std::vector<render::WaitingGroup> groups;
  bool installed = true;  // the API server serves SchedulingReports
};

// `ns`: empty for all namespaces.
Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns);
// The same of these pods, which are of one namespace.
Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns,
                               const std::vector<boost::json::value>& pods);

// The pods of a workload. Reads the ReplicaSets of a Deployment and the Jobs of a CronJob.
Result<std::vector<boost::json::value>> pods_of(Cluster& cluster, const TypeAndName& workload,
                                                const std::string& ns);

// "Did you mean …?", with pods of the namespace that have such a name, or that there is no such namespace;
// empty if there is nothing to say.
std::string did_you_mean(Cluster& cluster, const std::string& ns, const std::string& pod);

}  // namespace podium::kubectl
