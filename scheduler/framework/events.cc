#include "scheduler/framework/events.h"

#include "api/values/node.h"
#include "api/values/pod.h"
#include "scheduler/cluster/pod_requests.h"

namespace podium::framework {
namespace {

bool scaled_down(const cluster::Resources& before, const cluster::Resources& after) {
  if (after.milli_cpu < before.milli_cpu || after.memory < before.memory ||
      after.ephemeral_storage < before.ephemeral_storage) {
    return true;
  }
  for (const auto& [name, amount] : before.scalars) {
    if (after.scalar(name) < amount) return true;
  }
  return false;
}

}  // namespace

// Source: pkg/scheduler/framework/events.go PodSchedulingPropertiesChange.
std::uint32_t pod_changes(const api::Pod& before, const api::Pod& after, const cluster::RequestRules& rules) {
  std::uint32_t changes = 0;
  if (before.meta.labels != after.meta.labels) changes |= kUpdatePodLabel;
  // The API only lets tolerations be added, so the count is enough.
  if (before.tolerations.size() != after.tolerations.size()) changes |= kUpdatePodTolerations;
  if (!before.scheduling_gates.empty() && after.scheduling_gates.empty())
    changes |= kUpdatePodGatesEliminated;
  const cluster::RequestOptions as_granted{.use_status = true,
                                           .ignore_pod_level_resize = !rules.pod_level_resize};
  const auto was = cluster::pod_requests(before, as_granted), is = cluster::pod_requests(after, as_granted);
  if (scaled_down(was, is)) changes |= kUpdatePodScaleDown;
  if (scaled_down(is, was)) changes |= kUpdatePodScaleUp;
  if (before.resource_claim_statuses != after.resource_claim_statuses ||
      before.extended_resource_claim != after.extended_resource_claim) {
    changes |= kUpdatePodClaims;
  }
  return changes;
}

// Source: pkg/scheduler/framework/events.go NodeSchedulingPropertiesChange.
std::uint32_t node_changes(const api::Node& before, const api::Node& after) {
  std::uint32_t changes = 0;
  if (before.allocatable != after.allocatable) changes |= kUpdateNodeAllocatable;
  if (before.meta.labels != after.meta.labels) changes |= kUpdateNodeLabel;
  if (before.meta.annotations != after.meta.annotations) changes |= kUpdateNodeAnnotation;
  if (before.taints != after.taints || (before.unschedulable && !after.unschedulable))
    changes |= kUpdateNodeTaint;
  if (before.conditions != after.conditions) changes |= kUpdateNodeCondition;
  if (before.declared_features != after.declared_features) changes |= kUpdateNodeDeclaredFeature;
  return changes;
}

bool EventHint::matches(const ClusterEvent& event) const {
  if (resource == EventResource::wild_card && actions == kAll) return true;
  // A wild-card event moves every pod without asking hints.
  return (resource == EventResource::wild_card || resource == event.resource) &&
         (actions & event.actions) != 0;
}

}  // namespace podium::framework
