// Whether a pod keeps its node in an answer, and unschedule(): makes a pod of a node one that waits, as its
// controller creates it again.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "api/values/pod.h"
#include "explain/workload/pod_end.h"

namespace podium::explain {

// Why the pod does not stay: "it has succeeded", "it is being deleted"; empty: it does.
inline std::string end_of_pod(const api::Pod& pod) {
  auto out = end_of_phase(pod.phase);
  return out.empty() && pod.terminating() ? "it is being deleted" : out;
}

// Whether it was created with spec.nodeName, so that it passes no scheduler. A binding sets the condition
// PodScheduled with the node; before the kubelet sees such a pod, it has none.
inline bool names_its_node(const api::Pod& pod) {
  return !pod.node_name.empty() && pod.phase == "Pending" && !pod.condition("PodScheduled");
}

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
