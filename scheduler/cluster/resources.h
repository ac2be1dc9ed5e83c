// Resource requests of pods and allocatable amounts of nodes, summed as kube-scheduler sums them.
//
// Source: component-helpers resource.PodRequests and pkg/scheduler/framework/types.go. All sums saturate.
// Threads: pure functions on values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/pod.h"

namespace podium::cluster {

struct Resources {
  std::int64_t milli_cpu = 0, memory = 0, ephemeral_storage = 0;  // thousandths of a core, bytes, bytes
  // Extended resources, hugepages-*, *kubernetes.io/* and attachable-volumes-*: sorted by name, whole units.
  std::vector<std::pair<std::string, std::int64_t>> scalars;

  std::int64_t scalar(std::string_view name) const;  // 0 where absent
  // cpu, memory, ephemeral-storage or a scalar, by its API name; 0 where absent.
  std::int64_t get(std::string_view name) const;
  bool operator==(const Resources&) const = default;
};

bool is_scalar_resource(std::string_view name);  // stored in Resources::scalars
// A valid domain/name, not of *kubernetes.io and without the quota prefix "requests.".
bool is_extended_resource(std::string_view name);

std::int64_t saturating_add(std::int64_t a, std::int64_t b);

// What counts as a pod's request, by feature gate. Defaults as upstream.
struct RequestRules {
  bool pod_level = true;         // spec.resources
  bool pod_level_resize = true;  // status.resources and status.allocatedResources of a running pod
  bool operator==(const RequestRules&) const = default;
};

// How pod_requests() counts.
struct RequestOptions {
  // Placed pods: count what the kubelet has granted, too (in-place resize).
  bool use_status = false;
  // Scores count a container without a cpu or memory request as 100m and 200Mi. With pod-level requests, only
  // a resource that neither they, nor a container, nor the overhead requests gets the default.
  bool non_zero = false;
  bool ignore_pod_level = false;  // NodeResourcesFit's score of the pending pod; or RequestRules
  bool ignore_pod_level_resize = false;
};
Resources pod_requests(const api::Pod&, const RequestOptions&);

// An allocatable or capacity list; "pods" is not part of it.
Resources to_resources(const api::ResourceList&);

}  // namespace podium::cluster
