// Resource arithmetic of pods: what a pod asks for, as kube-scheduler sums it.
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

bool is_scalar_resource(std::string_view name);  // kept in Resources::scalars
// A valid domain/name outside of *kubernetes.io and without the quota prefix "requests.".
bool is_extended_resource(std::string_view name);

std::int64_t saturating_add(std::int64_t a, std::int64_t b);

// What counts as a pod's request, by feature gates; the values are the defaults.
struct RequestRules {
  bool pod_level = true;         // spec.resources
  bool pod_level_resize = true;  // status.resources and status.allocatedResources of a pod that runs
  bool operator==(const RequestRules&) const = default;
};

// Which spelling of "requests": pods that run count what the kubelet has granted (in-place resize), and
// scores count a container without a request as 100m and 200Mi.
struct RequestOptions {
  bool use_status = false;  // placed pods
  // Cpu and memory that a container does not ask for count as 100m and 200Mi; where pod-level requests count,
  // only a resource that neither they, nor any container, nor the overhead ask for.
  bool non_zero = false;
  bool ignore_pod_level = false;  // NodeResourcesFit's score of the incoming pod; or by the rules
  bool ignore_pod_level_resize = false;
};
Resources pod_requests(const api::Pod&, const RequestOptions&);

// An allocatable or capacity list; "pods" is not part of it.
Resources to_resources(const api::ResourceList&);

}  // namespace podium::cluster
