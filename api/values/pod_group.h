// The group of a pod: `spec.schedulingGroup.podGroupName`, or the label of the coscheduling plugin.
//
// No decision reads it, so Pod has no field for it. decode_pod() keeps it as an annotation that no user can
// write: the key is not valid for the API server.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "api/values/pod.h"

namespace podium::api {

inline constexpr const char* kSchedulingGroup = ".spec.schedulingGroup.podGroupName";

using PodGroupName = std::pair<std::string, std::string>;  // namespace, name
// How many pods each group needs.
using PodGroupMinimums = std::map<PodGroupName, std::size_t>;

// Whether the group is a PodGroup of Kubernetes and not of the coscheduling plugin.
inline bool is_of_kubernetes_group(const Pod& pod) { return pod.meta.annotations.find(kSchedulingGroup); }

// Null: the pod belongs to no group. Groups are of the pod's namespace.
inline const std::string* pod_group_of(const Pod& pod) {
  const auto* name = pod.meta.annotations.find(kSchedulingGroup);
  if (!name) name = pod.meta.labels.find("scheduling.x-k8s.io/pod-group");
  return name && !name->empty() ? name : nullptr;
}

}  // namespace podium::api
