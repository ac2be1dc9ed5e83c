// The requests of pods and the amounts of nodes, summed as kube-scheduler sums them.
//
// Source: component-helpers resource.PodRequests and pkg/scheduler/framework/types.go. All sums saturate.
// Threads: pure functions.
#pragma once

#include <cstdint>

#include "api/values/resource_list.h"
#include "scheduler/cluster/resources.h"

namespace podium::api {
struct Node;
struct Pod;
}  // namespace podium::api

namespace podium::cluster {

// The rules of pod_requests().
struct RequestOptions {
  // Placed pods: also count the resources that the kubelet has granted (in-place resize).
  bool use_status = false;
  // Scores count a container without a cpu or memory request as 100m and 200Mi. With pod-level requests, only
  // a resource that neither they, nor a container, nor the overhead requests gets the default.
  bool non_zero = false;
  bool ignore_pod_level = false;  // NodeResourcesFit's score of the pending pod; or RequestRules
  bool ignore_pod_level_resize = false;
};
Resources pod_requests(const api::Pod&, const RequestOptions&);
// False: `use_status` makes no difference to the pod's requests.
bool status_counts(const api::Pod&);

// An allocatable or capacity list; "pods" is not part of it.
Resources to_resources(const api::ResourceList&);
std::int64_t allowed_pods(const api::Node&);  // its allocatable "pods"

}  // namespace podium::cluster
