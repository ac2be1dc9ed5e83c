// unschedule(): makes a pod of a node one that waits, as its controller creates it again.
//
// Threads: pure function. Errors: none.
#pragma once

#include "api/values/pod.h"

namespace podium::explain {

// Clears the node and what the scheduler and the kubelet wrote, except for the claims of the pod. A condition
// of a resize would change what the pod requests.
inline void unschedule(api::Pod& pod) {
  pod.meta.deleted.reset();
  pod.node_name.clear();
  pod.nominated_node.clear();
  pod.start_time.reset();
  pod.phase = "Pending";
  pod.conditions.clear();
  pod.container_statuses.clear();
  pod.init_container_statuses.clear();
  pod.status_pod_requests.reset();
  pod.status_pod_allocated.clear();
}

}  // namespace podium::explain
