// What becomes of a pod whose node is drained, as its owner has it.
//
// Threads: pure functions. Errors: none.
// Source: k8s.io/kubectl/pkg/drain/filters.go (daemonSetFilter, mirrorPodFilter).
#pragma once

#include "api/values/static_pod.h"

namespace podium::api {

inline bool is_of_daemon_set(const Pod& pod) {
  const auto* owner = pod.meta.controller();
  return owner && owner->kind == "DaemonSet";
}

// kubectl drain leaves it alone.
inline bool stays(const Pod& pod) { return is_of_daemon_set(pod) || is_static(pod); }

// True if the pod terminates and its controller has already created another one, so none is placed for it.
// Only a StatefulSet waits until the pod is gone.
inline bool is_replaced(const Pod& pod) {
  const auto* owner = pod.meta.controller();
  return pod.terminating() && (!owner || owner->kind != "StatefulSet");
}

}  // namespace podium::api
