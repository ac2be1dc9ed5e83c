// The pods that wait, with podium's reports of them.
//
// Threads: the Cluster's. Errors: as Cluster's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/kubectl/targets.h"
#include "app/render/pending.h"

namespace podium::kubectl {

struct Waiting {
  std::vector<render::WaitingGroup> groups;
  bool installed = true;  // the API server serves SchedulingReports
};

// `ns`: empty for all namespaces. `selector`: of labels; empty: all.
Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns, const std::string& selector);
// The same for these pods, which are in one namespace.
Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns,
                               const std::vector<boost::json::value>& pods);

using PodCounts = std::map<std::string, std::size_t>;  // by namespace

// Lists the pods of all namespaces if the user may, else those of the user's namespace.
Result<std::vector<boost::json::value>> list_pods_seen(Cluster& cluster, const client::ListOptions& options);
Result<PodCounts> waiting_by_namespace(Cluster& cluster);
// Those with the most pods first; few, because podium is asked in each, and an answer takes seconds.
std::vector<std::string> namespaces_with_most(const PodCounts& counts);

// " in namespace shop", " in any namespace": what was looked at, for people.
std::string where_of(const std::string& ns, const std::string& selector = {});

// "pod/web-07" of each pod, as `-o name` prints them.
std::vector<std::string> pod_names(const Waiting& waiting);

// The pods of a namespace by their topmost workload: "Deployment/web". Reads the ReplicaSets and Jobs.
Result<std::map<std::string, std::vector<boost::json::value>>> pods_by_workload(Cluster& cluster,
                                                                                const std::string& ns);

// The pods of a workload. Reads the ReplicaSets of a Deployment and the Jobs of a CronJob.
Result<std::vector<boost::json::value>> pods_of(Cluster& cluster, const Target& workload,
                                                const std::string& ns);

}  // namespace podium::kubectl
