#include "api/decode/decode.h"
#include "api/decode/decode_parts.h"
#include "api/decode/decode_reader.h"
#include "api/values/pod.h"
#include "api/values/pod_group.h"

namespace podium::api {
namespace {

using detail::Field;

ContainerPort read_port(Field field) {
  ContainerPort port;
  field["containerPort"].into(port.container_port);
  field["hostPort"].into(port.host_port);
  field["hostIP"].into(port.host_ip);
  field["protocol"].into(port.protocol);
  if (port.protocol.empty()) port.protocol = "TCP";
  return port;
}

Container read_container(Field field) {
  Container container;
  field["name"].into(container.name);
  field["image"].into(container.image);
  const auto resources = field["resources"];
  resources["requests"].into(container.requests);
  resources["limits"].into(container.limits);
  field["ports"].list(container.ports, read_port);
  container.restart_always = field["restartPolicy"].text() == "Always";
  field["restartPolicyRules"].list(
      container.restart_rules, [](Field rule) { return RestartRule{std::string(rule["action"].text())}; });
  return container;
}

PodAffinityTerm read_pod_affinity_term(Field field) {
  PodAffinityTerm term;
  if (const auto selector = field["labelSelector"])
    term.label_selector = detail::read_label_selector(selector);
  if (const auto selector = field["namespaceSelector"]) {
    term.namespace_selector = detail::read_label_selector(selector);
  }
  field["namespaces"].into(term.namespaces);
  field["topologyKey"].into(term.topology_key);
  field["matchLabelKeys"].into(term.match_label_keys);
  field["mismatchLabelKeys"].into(term.mismatch_label_keys);
  return term;
}

PodAffinity read_pod_affinity(Field field) {
  PodAffinity affinity;
  field["requiredDuringSchedulingIgnoredDuringExecution"].list(affinity.required, read_pod_affinity_term);
  field["preferredDuringSchedulingIgnoredDuringExecution"].list(affinity.preferred, [](Field item) {
    WeightedPodAffinityTerm weighted;
    item["weight"].into(weighted.weight);
    weighted.term = read_pod_affinity_term(item["podAffinityTerm"]);
    return weighted;
  });
  return affinity;
}

Volume read_volume(Field field) {
  auto volume = detail::read_volume_source(field);
  field["name"].into(volume.name);
  if (volume.kind == Volume::Kind::other) {
    const auto scratch = field["emptyDir"];
    if (scratch && scratch["medium"].text() != "Memory") volume.id = "emptyDir";
    if (field["hostPath"]) volume.id = "hostPath";
  }
  return volume;
}

void read_priority(Field spec, Pod& pod) {
  spec["schedulerName"].into(pod.scheduler_name);
  if (pod.scheduler_name.empty()) pod.scheduler_name = "default-scheduler";
  spec["priorityClassName"].into(pod.priority_class_name);
  spec["priority"].into(pod.priority);
  if (const auto policy = spec["preemptionPolicy"]) {
    pod.has_preemption_policy = true;
    pod.preempt_never = policy.text() == "Never";
  }
}

PodResourceClaim read_resource_claim(Field field) {
  PodResourceClaim claim;
  field["name"].into(claim.name);
  field["resourceClaimName"].into(claim.claim_name);
  field["resourceClaimTemplateName"].into(claim.template_name);
  return claim;
}

void read_spec(Field spec, Pod& pod) {
  spec["nodeName"].into(pod.node_name);
  read_priority(spec, pod);
  spec["runtimeClassName"].into(pod.runtime_class);
  spec["hostNetwork"].into(pod.host_network);
  spec["hostUsers"].into(pod.host_users);
  spec["schedulingGates"].list(pod.scheduling_gates,
                               [](Field gate) { return std::string(gate["name"].text()); });
  spec["nodeSelector"].into(pod.node_selector);
  if (const auto affinity = spec["affinity"]) {
    pod.node_affinity = detail::read_node_affinity(affinity["nodeAffinity"]);
    pod.pod_affinity = read_pod_affinity(affinity["podAffinity"]);
    pod.pod_anti_affinity = read_pod_affinity(affinity["podAntiAffinity"]);
  }
  spec["tolerations"].list(pod.tolerations, detail::read_toleration);
  spec["topologySpreadConstraints"].list(pod.topology_spread, detail::read_topology_spread_constraint);
  spec["containers"].list(pod.containers, read_container);
  spec["initContainers"].list(pod.init_containers, read_container);
  spec["overhead"].into(pod.overhead);
  if (const auto resources = spec["resources"]) {
    pod.has_pod_level_resources = true;
    resources["requests"].into(pod.pod_requests);
    resources["limits"].into(pod.pod_limits);
  }
  spec["volumes"].list(pod.volumes, read_volume);
  spec["resourceClaims"].list(pod.resource_claims, read_resource_claim);
  std::string group;
  spec["schedulingGroup"]["podGroupName"].into(group);
  if (!group.empty()) pod.meta.annotations.set(kSchedulingGroup, std::move(group));
}

PodResourceClaimStatus read_resource_claim_status(Field field) {
  PodResourceClaimStatus status;
  field["name"].into(status.name);
  field["resourceClaimName"].into(status.claim_name);
  return status;
}

PodExtendedResourceClaim read_extended_resource_claim(Field field) {
  PodExtendedResourceClaim claim;
  field["resourceClaimName"].into(claim.claim_name);
  field["requestMappings"].list(claim.mappings, [](Field item) {
    PodExtendedResourceClaim::Mapping mapping;
    item["containerName"].into(mapping.container);
    item["resourceName"].into(mapping.resource);
    item["requestName"].into(mapping.request);
    return mapping;
  });
  return claim;
}

ContainerStatus read_container_status(Field field) {
  ContainerStatus status;
  field["name"].into(status.name);
  if (const auto resources = field["resources"]) resources["requests"].into(status.resources.emplace());
  field["allocatedResources"].into(status.allocated);
  return status;
}

void read_status(Field status, Pod& pod) {
  status["phase"].into(pod.phase);
  status["nominatedNodeName"].into(pod.nominated_node);
  status["startTime"].into(pod.start_time);
  status["conditions"].list(pod.conditions, detail::read_condition);
  status["containerStatuses"].list(pod.container_statuses, read_container_status);
  status["initContainerStatuses"].list(pod.init_container_statuses, read_container_status);
  if (const auto resources = status["resources"]) {
    resources["requests"].into(pod.status_pod_requests.emplace());
  }
  status["allocatedResources"].into(pod.status_pod_allocated);
  status["resourceClaimStatuses"].list(pod.resource_claim_statuses, read_resource_claim_status);
  if (const auto claim = status["extendedResourceClaimStatus"]) {
    pod.extended_resource_claim = read_extended_resource_claim(claim);
  }
}

}  // namespace

Result<Pod> decode_pod(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  Pod pod;
  pod.meta = detail::read_meta(root["metadata"], detail::Annotations::kept);
  read_spec(root["spec"], pod);
  read_status(root["status"], pod);
  return reader.finish(std::move(pod));
}

Result<Pod> decode_pod_template(const boost::json::value& value) {
  detail::Reader reader(value);
  const auto root = reader.root();
  Pod pod;
  pod.meta = detail::read_meta(root["metadata"], detail::Annotations::kept);
  read_spec(root["spec"], pod);
  return reader.finish(std::move(pod));
}

}  // namespace podium::api
