// Pod: the fields of a pod that podium reads, named like the API's, in snake_case.
//
// Plain values; immutable once shared. std::optional only where absent and empty differ to kube-scheduler.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/condition.h"
#include "api/values/labels.h"
#include "api/values/meta.h"
#include "api/values/node_selector_term.h"
#include "api/values/rare.h"
#include "api/values/resource_list.h"
#include "api/values/selector.h"
#include "api/values/shared_list.h"
#include "api/values/toleration.h"
#include "api/values/volume.h"

namespace podium::api {

struct ContainerPort {
  std::int32_t host_port = 0;  // 0: none
  std::string host_ip;         // "" means 0.0.0.0
  std::string protocol = "TCP";
  std::int32_t container_port = 0;
  bool operator==(const ContainerPort&) const = default;
};

struct RestartRule {  // containers[].restartPolicyRules[]
  std::string action;
  bool operator==(const RestartRule&) const = default;
};

struct Container {
  std::string name, image;
  ResourceList requests, limits;
  std::vector<ContainerPort> ports;
  bool restart_always = false;  // restartPolicy: Always; makes an init container a sidecar
  std::vector<RestartRule> restart_rules;
  bool operator==(const Container&) const = default;
};

// status.containerStatuses[]: read for in-place resizes.
struct ContainerStatus {
  std::string name;
  std::optional<ResourceList> resources;  // resources.requests; nullopt: no resources
  ResourceList allocated;                 // allocatedResources
  bool operator==(const ContainerStatus&) const = default;
};

// --- node affinity ---
struct PreferredNodeTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference;
  bool operator==(const PreferredNodeTerm&) const = default;
};
struct NodeAffinity {
  std::optional<SharedList<NodeSelectorTerm>> required;  // terms are ORed; an empty list matches nothing
  SharedList<PreferredNodeTerm> preferred;
  bool operator==(const NodeAffinity&) const = default;
};

// --- inter-pod affinity ---
struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;      // nullopt matches nothing, {} everything
  std::optional<LabelSelector> namespace_selector;  // nullopt adds nothing, {} all namespaces
  std::vector<std::string> namespaces;
  std::string topology_key;
  std::vector<std::string> match_label_keys, mismatch_label_keys;
  bool operator==(const PodAffinityTerm&) const = default;
};
struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm term;
  bool operator==(const WeightedPodAffinityTerm&) const = default;
};
struct PodAffinity {
  SharedList<PodAffinityTerm> required;
  SharedList<WeightedPodAffinityTerm> preferred;
  bool empty() const { return required.empty() && preferred.empty(); }
  bool operator==(const PodAffinity&) const = default;
};

struct TopologySpreadConstraint {
  std::int32_t max_skew = 1;
  std::string topology_key;
  bool do_not_schedule = true;   // whenUnsatisfiable
  bool known_constraint = true;  // whenUnsatisfiable has a valid value
  std::optional<LabelSelector> label_selector;
  std::optional<std::int32_t> min_domains;
  bool honor_node_affinity = true;  // nodeAffinityPolicy, Honor by default
  bool honor_node_taints = false;   // nodeTaintsPolicy, Ignore by default
  std::vector<std::string> match_label_keys;
  bool operator==(const TopologySpreadConstraint&) const = default;
};

// spec.resourceClaims[]: a claim by its name, or one made from a template.
struct PodResourceClaim {
  std::string name;
  std::optional<std::string> claim_name, template_name;  // resourceClaimName, resourceClaimTemplateName
  bool operator==(const PodResourceClaim&) const = default;
};

// status.resourceClaimStatuses[]: the claim that was made from the entry's template.
struct PodResourceClaimStatus {
  std::string name;
  std::optional<std::string> claim_name;  // nullopt: none is needed
  bool operator==(const PodResourceClaimStatus&) const = default;
};

// status.extendedResourceClaimStatus: the claim for the pod's extended resources.
struct PodExtendedResourceClaim {
  struct Mapping {
    std::string container, resource, request;
    bool operator==(const Mapping&) const = default;
  };
  std::string claim_name;
  std::vector<Mapping> mappings;
  bool operator==(const PodExtendedResourceClaim&) const = default;
};

struct Pod {
  ObjectMeta meta;

  // spec
  std::string node_name, scheduler_name = "default-scheduler", priority_class_name, runtime_class;
  std::optional<std::int32_t> priority;
  bool preempt_never = false;          // preemptionPolicy: Never
  bool has_preemption_policy = false;  // preemptionPolicy is given
  bool host_network = false;
  bool host_users = true;
  bool has_pod_level_resources = false;  // spec.resources present
  SharedList<std::string> scheduling_gates;
  Labels node_selector;
  NodeAffinity node_affinity;
  PodAffinity pod_affinity, pod_anti_affinity;
  SharedList<Toleration> tolerations;
  SharedList<TopologySpreadConstraint> topology_spread;
  SharedList<Container> containers, init_containers;
  ResourceList overhead;
  ResourceList pod_requests, pod_limits;  // spec.resources: pod-level
  SharedList<Volume> volumes;
  SharedList<PodResourceClaim> resource_claims;

  // status
  std::string phase, nominated_node;
  std::optional<Wall> start_time;
  SharedList<PodCondition> conditions;
  SharedList<ContainerStatus> container_statuses, init_container_statuses;
  std::optional<ResourceList> status_pod_requests;  // status.resources.requests, pod level
  ResourceList status_pod_allocated;                // status.allocatedResources, pod level
  SharedList<PodResourceClaimStatus> resource_claim_statuses;
  Rare<PodExtendedResourceClaim> extended_resource_claim;

  bool terminating() const { return meta.deleted.has_value(); }
  bool terminated() const { return phase == "Succeeded" || phase == "Failed"; }
  std::int32_t priority_or_zero() const { return priority.value_or(0); }
  std::string full_name() const { return meta.namespace_ + "/" + meta.name; }
  const PodCondition* condition(std::string_view type) const;
  // The claim of an entry of resource_claims. Nullopt: none is needed. Null: it has not been made.
  const std::optional<std::string>* claim_name(const PodResourceClaim& entry) const;
  bool operator==(const Pod&) const = default;
};

using PodPtr = std::shared_ptr<const Pod>;

}  // namespace podium::api
