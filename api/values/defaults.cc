#include "api/values/defaults.h"

#include <algorithm>

#include "api/values/node.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "api/values/resource_names.h"
#include "api/values/resource_sum.h"

namespace podium::api {
namespace {

void round_up(ResourceList& list) {
  list.change_each([](auto& entry) { entry.second = entry.second.rounded_up_to_milli(); });
}

void default_container(Container& container, bool host_network) {
  set_if_absent(container.requests, container.limits);
  for (auto& port : container.ports) {
    if (host_network && port.host_port == 0) port.host_port = port.container_port;
  }
}

// Huge pages cannot be overcommitted, so the pod-level limit defaults to that of the containers.
void default_huge_pages(Pod& pod) {
  for (const auto& [name, amount] : aggregate_containers(pod, &Container::limits)) {
    if (!is_huge_page(name) || find_resource(pod.pod_requests, name)) continue;
    set_if_absent(pod.pod_limits, name, amount);
  }
}

void default_pod_requests(Pod& pod) {
  for (const auto& [name, amount] : aggregate_containers(pod, &Container::requests)) {
    if (name == "cpu" || name == "memory") set_if_absent(pod.pod_requests, name, amount);
  }
  for (const auto& [name, amount] : pod.pod_limits) {
    if (is_supported_pod_level_resource(name)) set_if_absent(pod.pod_requests, name, amount);
  }
}

// A limit for what the pod requests, if every container has one: at least the request.
void default_pod_limits(Pod& pod) {
  const auto is_limited = [&](std::string_view name) {
    const auto has_limit = [&](const Container& each) { return find_resource(each.limits, name) != nullptr; };
    return std::ranges::all_of(pod.containers, has_limit) &&
           std::ranges::all_of(pod.init_containers, has_limit);
  };
  const auto limits = aggregate_containers(pod, &Container::limits);
  for (const auto& [name, request] : pod.pod_requests) {
    if (!is_supported_pod_level_resource(name) || !is_limited(name)) continue;
    const auto* limit = find_resource(limits, name);
    if (limit) set_if_absent(pod.pod_limits, name, std::max(*limit, request));
  }
}

void round_up_all(Pod& pod) {
  for (auto* containers : {&pod.containers, &pod.init_containers}) {
    containers->change_each([](Container& container) {
      round_up(container.requests);
      round_up(container.limits);
    });
  }
  for (auto* list : {&pod.overhead, &pod.pod_requests, &pod.pod_limits, &pod.status_pod_allocated}) {
    round_up(*list);
  }
  if (pod.status_pod_requests) round_up(*pod.status_pod_requests);
  for (auto* statuses : {&pod.container_statuses, &pod.init_container_statuses}) {
    statuses->change_each([](ContainerStatus& status) {
      round_up(status.allocated);
      if (status.resources) round_up(*status.resources);
    });
  }
}

}  // namespace

ResourceList aggregate_containers(const Pod& pod, ResourceList Container::* amounts) {
  ResourceSum total;
  Initialisation initialisation;
  for (const auto& container : pod.containers) total.add(container.*amounts);
  for (const auto& container : pod.init_containers) {
    ResourceSum own(container.*amounts);
    if (container.restart_always) {
      total.add(own);
      initialisation.add_sidecar(own);
    } else {
      initialisation.add(own);
    }
  }
  total.max(initialisation.peak());
  return total.list();
}

void set_defaults(Pod& pod) {
  for (auto* containers : {&pod.containers, &pod.init_containers}) {
    containers->change_each([&](Container& each) { default_container(each, pod.host_network); });
  }
  round_up_all(pod);
}

void set_pod_level_defaults(Pod& pod) {
  if (pod.pod_limits.empty() && pod.pod_requests.empty()) return;
  default_huge_pages(pod);
  default_pod_requests(pod);
  default_pod_limits(pod);
}

void set_defaults(Node& node) {
  if (node.allocatable.empty()) node.allocatable = node.capacity;
  round_up(node.capacity);
  round_up(node.allocatable);
}

void set_defaults(Namespace& ns) { ns.meta.labels.set("kubernetes.io/metadata.name", ns.meta.name); }

void set_defaults(PriorityClass& priority_class) {
  if (!priority_class.preempt_never) priority_class.preempt_never = false;
}

void set_defaults(PersistentVolume& volume) {
  volume.capacity = volume.capacity.rounded_up_to_milli();
  if (volume.phase.empty()) volume.phase = "Pending";
}

void set_defaults(PersistentVolumeClaim& claim) {
  claim.request = claim.request.rounded_up_to_milli();
  if (claim.phase.empty()) claim.phase = "Pending";
}

void set_defaults(StorageClass& storage_class) {
  storage_class.has_binding_mode = true;  // Immediate
}

void set_defaults(LimitRange& range) {
  for (auto& item : range.items) {
    if (item.type != "Container") continue;
    set_if_absent(item.limits, item.max);
    set_if_absent(item.requests, item.limits);
    set_if_absent(item.requests, item.min);
  }
}

}  // namespace podium::api
