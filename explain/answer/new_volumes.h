// What the nodes of an answer cannot give to its pods, although the scheduler chooses them. When the budget
// ends, the rest is not looked at.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "explain/answer/budget.h"
#include "explain/workload/workload.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// kube-scheduler compares each new volume with the free capacity that the driver reports, and not their sum.
// Returns by StorageClass what the volumes on one node need beyond it: "4 on n1 need 40Gi, and its driver
// reports 25Gi". `start`: the fork before they were placed.
std::map<std::string, std::string> volumes_beyond_capacity(const cluster::Snapshot& start,
                                                           const cluster::Snapshot& fork,
                                                           const Budget& budget);

// The time of an update in which old and new pods run.
struct Overlap {
  std::span<const cluster::PodInfoPtr> old = {};  // not on the fork, but they keep their claims
  std::vector<std::string> nodes = {};  // on which the first new pods are placed next to the old ones
};

// The scheduler does not look at attachments: pods on several nodes may get a disk that one node at a time
// can attach. Names the first claim of the kind; empty: none. `pod`: of the replicas. `rows`: their nodes
// once no old pod is left.
std::string attached_twice(const api::Pod& pod, const std::vector<cluster::Row>& rows,
                           const cluster::Snapshot& start, const cluster::Snapshot& fork,
                           const Overlap& overlap, const Budget& budget);

// No plugin reads spec.os, but the kubelet of another operating system rejects the pod.
bool has_other_system(const Subject& subject, const api::Node& node);
// Names the first of these nodes. Empty: none has another one.
std::string other_systems(const Subject& subject, const std::vector<cluster::Row>& rows,
                          const cluster::Snapshot& fork);

}  // namespace podium::explain
