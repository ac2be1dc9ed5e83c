// The node that a pod is nominated to; empty if none. Falls back to the snapshot's nominations: the pod may
// be tried again before the watch delivers the status that this process wrote.
//
// Threads: pure.
#pragma once

#include <string_view>

#include "scheduler/cluster/snapshot.h"

namespace podium::framework {

inline std::string_view nominated_node(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot) {
  if (!pod->nominated_node.empty()) return pod->nominated_node;
  const auto* own = snapshot.find_nomination(pod->meta.uid);
  return own ? std::string_view(own->node) : std::string_view();
}

// The pod with that node in its status, for the delete event that wakes other pods; null: it has no
// nomination. kube-scheduler wakes no pod if the watch has not shown the nomination.
cluster::PodInfoPtr as_nominated(const cluster::PodInfoPtr& pod, const cluster::Snapshot& snapshot);

}  // namespace podium::framework
