// The codes of reasons, and the table of their names, plugins and words: a new reason is a code and
// a row of this table.
//
// Threads: constants. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scheduler/framework/plugin_names.h"

namespace podium::framework {

enum class ReasonCode : std::uint8_t {
  other,  // of a foreign plugin, of an extender, or a failure: the text only
  affinity_label_missing,
  claim_class_not_found,
  claim_deleted,
  claim_in_use,
  claim_invalid,
  claim_matches_no_volume,
  claim_not_bound,
  claim_not_created,
  claim_not_found,
  claim_of_another_pod,
  claim_without_class,
  csi_driver_missing,
  device_class_not_found,
  device_pool_invalid,
  devices_not_ready,
  disk_conflict,
  enforced_affinity_mismatch,
  excluded_by_name,
  existing_pod_anti_affinity,
  host_port_in_use,
  insufficient_devices,
  insufficient_resource,
  insufficient_storage,
  no_volume_to_bind,
  node_affinity_conflict,
  node_feature_missing,
  node_name_mismatch,
  node_not_found,
  node_selector_mismatch,
  node_unschedulable,
  outside_allowed_topologies,
  pod_affinity,
  pod_anti_affinity,
  preemption_never,
  provisioned_elsewhere,
  resource_claim_deleted,
  resource_claim_elsewhere,
  resource_claim_in_flight,
  resource_claim_invalid,
  resource_claim_left_over,
  resource_claim_not_created,
  resource_claim_not_found,
  resource_claim_of_another_pod,
  resource_not_offered,
  scheduling_gated,
  storage_capacity_unknown,
  storage_class_not_found,
  too_few_domains,
  too_many_pods,
  too_many_volumes,
  topology_label_missing,
  topology_spread_skew,
  untolerated_taint,
  victims_terminate,
  volume_affinity_mismatch,
  volume_node_not_found,
  volume_not_found,
  volume_of_another_claim,
  volume_reaches_no_node,
  volume_zone_mismatch,
};

// The plugins that give a reason; none: several together, or any.
using ReasonPlugins = std::array<std::string_view, 4>;

// A row of the table. In `text` and `words`, "{claim}" and the like are placeholders for the topic.
// `podium reasons` prints the table.
struct ReasonRow {
  ReasonCode code;
  std::string_view name;  // "InsufficientResource"; stable, for programs
  ReasonPlugins plugins;
  std::string_view text;   // kube-scheduler's; empty: plugins compose it
  std::string_view words;  // plain: what a node does, "is cordoned", or, of the pod, a clause: "its claim …"
  bool is_of_pod = false;  // the pod itself is the cause, on any node
};
// In the order of the codes.
inline constexpr auto kReasonRows = [] {
  using enum ReasonCode;
  using namespace names;
  constexpr bool kOfPod = true;
  constexpr auto by = [](auto... plugins) { return ReasonPlugins{{plugins...}}; };
  return std::to_array<ReasonRow>({
      {other, "Other", by(), "", ""},
      {affinity_label_missing, "AffinityLabelMissing", by(kInterPodAffinity),
       "node(s) didn't match pod affinity rules", "does not have the label {label} of the pod's affinity"},
      {claim_class_not_found, "ClaimClassNotFound", by(kVolumeBinding),
       "pod has unbound immediate PersistentVolumeClaims",
       "its claim {claim} names the StorageClass {class}, which does not exist", kOfPod},
      {claim_deleted, "ClaimDeleted", by(kVolumeBinding),
       "persistentvolumeclaim \"{claim}\" is being deleted", "its claim {claim} is being deleted", kOfPod},
      {claim_in_use, "ClaimInUse", by(kVolumeRestrictions),
       "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
       "another pod",
       "cannot use the pod's volume: another pod uses it as ReadWriteOncePod"},
      {claim_invalid, "ClaimInvalid", by(kVolumeZone), "",
       "its claim {claim} or the claim's StorageClass is incomplete", kOfPod},
      {claim_matches_no_volume, "ClaimMatchesNoVolume", by(kVolumeBinding),
       "pod has unbound immediate PersistentVolumeClaims",
       "its claim {claim} matches no available volume of the class {class}, and no provisioner creates one",
       kOfPod},
      {claim_not_bound, "ClaimNotBound", by(kVolumeBinding),
       "pod has unbound immediate PersistentVolumeClaims",
       "its claim {claim} has not been bound to a volume yet", kOfPod},
      {claim_not_created, "ClaimNotCreated", by(kVolumeBinding),
       "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{claim}\"",
       "its claim {claim} has not been created yet", kOfPod},
      {claim_not_found, "ClaimNotFound",
       by(kNodeVolumeLimits, kVolumeBinding, kVolumeRestrictions, kVolumeZone),
       "persistentvolumeclaim \"{claim}\" not found", "its claim {claim} does not exist", kOfPod},
      {claim_of_another_pod, "ClaimOfAnotherPod", by(kVolumeBinding), "",
       "the claim {claim} belongs to another pod", kOfPod},
      {claim_without_class, "ClaimWithoutClass", by(kVolumeBinding),
       "pod has unbound immediate PersistentVolumeClaims",
       "its claim {claim} does not name a StorageClass, so a volume must be created for it manually", kOfPod},
      {csi_driver_missing, "CSIDriverMissing", by(kNodeVolumeLimits),
       "{driver} CSI driver is not installed on the node", "does not have the CSI driver {driver}"},
      {device_class_not_found, "DeviceClassNotFound", by(kDynamicResources),
       "request {request}: device class {class} does not exist",
       "its claim asks for the DeviceClass {class}, which does not exist", kOfPod},
      {device_pool_invalid, "DevicePoolInvalid", by(kDynamicResources),
       "invalid resource pools were encountered",
       "does not have enough free devices, and a driver's resource pool is invalid"},
      {devices_not_ready, "DevicesNotReady", by(kDynamicResources), "",
       "its devices are not ready on the node yet", kOfPod},
      {disk_conflict, "DiskConflict", by(kVolumeRestrictions), "node(s) had no available disk",
       "cannot use the disk: another pod uses it"},
      {enforced_affinity_mismatch, "EnforcedAffinityMismatch", by(kNodeAffinity),
       "node(s) didn't match scheduler-enforced node affinity",
       "does not match the node affinity of the scheduler's configuration"},
      {excluded_by_name, "ExcludedByName", by(), "", "is not among the nodes that the pod names"},
      {existing_pod_anti_affinity, "ExistingPodAntiAffinity", by(kInterPodAffinity),
       "node(s) didn't satisfy existing pods anti-affinity rules",
       "has a pod whose anti-affinity excludes this pod"},
      {host_port_in_use, "HostPortInUse", by(kNodePorts),
       "node(s) didn't have free ports for the requested pod ports",
       "has a pod that uses the same host port"},
      {insufficient_devices, "InsufficientDevices", by(kDynamicResources), "cannot allocate all claims",
       "does not have enough free devices for the pod's claims"},
      {insufficient_resource, "InsufficientResource", by(kNodeResourcesFit), "Insufficient {resource}",
       "does not have enough free {resource}"},
      {insufficient_storage, "InsufficientStorage", by(kVolumeBinding),
       "node(s) did not have enough free storage",
       "does not have enough free storage for the pod's claim {claim}"},
      {no_volume_to_bind, "NoVolumeToBind", by(kVolumeBinding),
       "node(s) didn't find available persistent volumes to bind",
       "has no available volume that matches the pod's claim {claim}"},
      {node_affinity_conflict, "NodeAffinityConflict", by(kNodeAffinity), "pod affinity terms conflict",
       "its node affinity names no node that could match all of it", kOfPod},
      {node_feature_missing, "NodeFeatureMissing", by(kNodeDeclaredFeatures),
       "node(s) didn't match Pod's required features", "does not have the features that the pod needs"},
      {node_name_mismatch, "NodeNameMismatch", by(kNodeName), "node(s) didn't match the requested node name",
       "is not the node that spec.nodeName names"},
      {node_not_found, "NodeNotFound", by(), "", "there is no node {node}", kOfPod},
      {node_selector_mismatch, "NodeSelectorMismatch", by(kNodeAffinity),
       "node(s) didn't match Pod's node affinity/selector",
       "does not match the pod's node selector or affinity"},
      {node_unschedulable, "NodeUnschedulable", by(kNodeUnschedulable), "node(s) were unschedulable",
       "is cordoned"},
      {outside_allowed_topologies, "OutsideAllowedTopologies", by(kVolumeBinding),
       "node(s) didn't find available persistent volumes to bind",
       "is outside the allowedTopologies of the StorageClass {class} of the pod's claim {claim}"},
      {pod_affinity, "PodAffinity", by(kInterPodAffinity), "node(s) didn't match pod affinity rules",
       "does not have a pod that the pod's affinity requires"},
      {pod_anti_affinity, "PodAntiAffinity", by(kInterPodAffinity),
       "node(s) didn't match pod anti-affinity rules", "has a pod that the pod's anti-affinity excludes"},
      {preemption_never, "PreemptionNever", by(kDefaultPreemption),
       "preemption: not eligible due to preemptionPolicy=Never.", "its preemptionPolicy is Never", kOfPod},
      {provisioned_elsewhere, "ProvisionedElsewhere", by(kVolumeBinding),
       "node(s) didn't find available persistent volumes to bind",
       "is not the node {node} that was selected for the volume of the pod's claim {claim}"},
      {resource_claim_deleted, "ResourceClaimDeleted", by(kDynamicResources),
       "resourceclaim \"{claim}\" is being deleted", "its ResourceClaim {claim} is being deleted", kOfPod},
      {resource_claim_elsewhere, "ResourceClaimElsewhere", by(kDynamicResources),
       "resourceclaim not available on the node", "cannot reach the devices that the pod's claim has"},
      {resource_claim_in_flight, "ResourceClaimInFlight", by(kDynamicResources), "",
       "its ResourceClaim {claim} is being allocated for another pod", kOfPod},
      {resource_claim_invalid, "ResourceClaimInvalid", by(kDynamicResources), "",
       "its ResourceClaim {claim} has a request that podium does not know", kOfPod},
      {resource_claim_left_over, "ResourceClaimLeftOver", by(kDynamicResources),
       "cannot schedule extended resource claim",
       "cannot take the pod until the claim of an earlier attempt is deleted"},
      {resource_claim_not_created, "ResourceClaimNotCreated", by(kDynamicResources), "",
       "a ResourceClaim has not been created from its template yet", kOfPod},
      {resource_claim_not_found, "ResourceClaimNotFound", by(kDynamicResources), "",
       "its ResourceClaim {claim} does not exist", kOfPod},
      {resource_claim_of_another_pod, "ResourceClaimOfAnotherPod", by(kDynamicResources), "",
       "the ResourceClaim {claim} belongs to another pod", kOfPod},
      {resource_not_offered, "ResourceNotOffered", by(kDynamicResources), "cannot fit resource",
       "does not have an extended resource of the pod, and no DeviceClass offers it"},
      {scheduling_gated, "SchedulingGated", by(kSchedulingGates), "", "it waits for its scheduling gates",
       kOfPod},
      {storage_capacity_unknown, "StorageCapacityUnknown", by(kVolumeBinding),
       "node(s) did not have enough free storage",
       "has no CSIStorageCapacity for the StorageClass {class} of the pod's claim {claim}"},
      {storage_class_not_found, "StorageClassNotFound", by(kVolumeZone),
       "storageclass.storage.k8s.io \"{class}\" not found",
       "its claim {claim} names the StorageClass {class}, which does not exist", kOfPod},
      {too_few_domains, "TooFewDomains", by(kPodTopologySpread),
       "node(s) didn't match pod topology spread constraints",
       "would exceed maxSkew: the label {label} has fewer eligible values than minDomains"},
      {too_many_pods, "TooManyPods", by(kNodeResourcesFit), "Too many pods",
       "already runs its maximum number of pods"},
      {too_many_volumes, "TooManyVolumes", by(kNodeVolumeLimits), "node(s) exceed max volume count",
       "already has its maximum number of {driver} volumes"},
      {topology_label_missing, "TopologyLabelMissing", by(kPodTopologySpread),
       "node(s) didn't match pod topology spread constraints (missing required label)",
       "does not have the label {label} of a topology spread constraint"},
      {topology_spread_skew, "TopologySpreadSkew", by(kPodTopologySpread),
       "node(s) didn't match pod topology spread constraints", "would spread the pods too unevenly"},
      {untolerated_taint, "UntoleratedTaint", by(kTaintToleration), "node(s) had untolerated taint(s)",
       "has a taint that the pod does not tolerate"},
      {victims_terminate, "VictimsTerminate", by(kDefaultPreemption),
       "preemption: not eligible due to a terminating pod on the nominated node.",
       "pods that it has evicted are still terminating", kOfPod},
      {volume_affinity_mismatch, "VolumeAffinityMismatch", by(kVolumeBinding),
       "node(s) didn't match PersistentVolume's node affinity", "cannot reach the pod's volume {volume}"},
      {volume_node_not_found, "VolumeNodeNotFound", by(kVolumeBinding),
       "node(s) didn't match PersistentVolume's node affinity",
       "cannot reach the pod's volume {volume}: it is on node {node}, which does not exist"},
      {volume_not_found, "VolumeNotFound", by(kVolumeBinding, kVolumeZone), "",
       "its claim {claim} names the volume {volume}, which does not exist", kOfPod},
      {volume_of_another_claim, "VolumeOfAnotherClaim", by(kVolumeBinding),
       "pod has unbound immediate PersistentVolumeClaims",
       "its claim {claim} cannot have the volume {volume}, whose claimRef names another or an earlier claim",
       kOfPod},
      {volume_reaches_no_node, "VolumeReachesNoNode", by(kVolumeBinding),
       "node(s) didn't match PersistentVolume's node affinity",
       "cannot reach the pod's volume {volume}, whose node affinity matches no node"},
      {volume_zone_mismatch, "VolumeZoneMismatch", by(kVolumeZone), "node(s) had no available volume zone",
       "is not in the zone of the pod's volume"},
  });
}();

static_assert([] {
  for (std::size_t i = 0; i < kReasonRows.size(); ++i) {
    if (kReasonRows[i].code != static_cast<ReasonCode>(i)) return false;
  }
  return true;
}());

}  // namespace podium::framework
