#include "scheduler/plugins/reason_codes.h"

#include <algorithm>
#include <array>

namespace podium::plugins {
namespace {

constexpr auto kCodes = std::to_array<ReasonCode>({
    {"", "didn't satisfy plugin", "ExcludedByName", "the pod's required affinity names other nodes"},
    {"DynamicResources", "not created yet", "ResourceClaimNotCreated",
     "a claim is not created from its template yet"},
    {"DynamicResources", "could not find", "ResourceClaimNotFound", "a resource claim does not exist"},
    {"DynamicResources", "being deleted", "ResourceClaimDeleted", "a resource claim is being deleted"},
    {"DynamicResources", "not created for", "ResourceClaimOfAnotherPod",
     "a claim of that name is not the pod's"},
    {"DynamicResources", "being allocated", "ResourceClaimInFlight",
     "another pod's binding allocates the claim"},
    {"DynamicResources", "device class", "DeviceClassNotFound", "a device class does not exist"},
    {"DynamicResources", "not available on the node", "ResourceClaimElsewhere",
     "a claim's devices are for other nodes, or its binding failed or took too long"},
    {"DynamicResources", "cannot allocate", kInsufficientDevices, "no free devices there match the claims"},
    {"DynamicResources", "invalid resource pools", "DevicePoolInvalid",
     "no free devices match, and a driver's pool is invalid"},
    {"DynamicResources", "cannot schedule", "ResourceClaimLeftOver",
     "the claim of an earlier attempt at the pod's extended resources is deleted first"},
    {"DynamicResources", "cannot fit", "ResourceNotOffered",
     "an extended resource that the node does not have and no device class stands behind"},
    {"DynamicResources", "", "ResourceClaimInvalid", "a resource claim asks for what podium does not know"},
    {"InterPodAffinity", "existing pods anti-affinity", "ExistingPodAntiAffinity",
     "a pod there has an anti-affinity to this one"},
    {"InterPodAffinity", "pod anti-affinity", "PodAntiAffinity",
     "a pod there matches this one's anti-affinity"},
    {"InterPodAffinity", "pod affinity", "PodAffinity", "no pod there matches this one's affinity"},
    {"NodeAffinity", "terms conflict", "NodeAffinityConflict", "no node can match the pod's node affinity"},
    {"NodeAffinity", "scheduler-enforced", "EnforcedAffinityMismatch",
     "the node affinity of the configuration does not match"},
    {"NodeAffinity", "affinity/selector", "NodeSelectorMismatch",
     "the pod's node selector or node affinity does not match"},
    {"NodeDeclaredFeatures", "", "NodeFeatureMissing", "the node lacks a feature that the pod requires"},
    {"NodeName", "", "NodeNameMismatch", "the pod names another node"},
    {"NodePorts", "", "HostPortInUse", "a host port of the pod is taken"},
    {"NodeResourcesFit", "Too many pods", "TooManyPods", "the node has as many pods as it may"},
    {"NodeResourcesFit", "Insufficient", "InsufficientResource", "too little of a resource is free"},
    {"NodeUnschedulable", "", "NodeUnschedulable", "the node is cordoned"},
    {"NodeVolumeLimits", "max volume count", "TooManyVolumes", "the node has as many volumes as it may"},
    {"NodeVolumeLimits", "CSI driver", "CSIDriverMissing", "the node lacks a volume's CSI driver"},
    {"NodeVolumeLimits", "PVC", "ClaimNotFound", "a claim of the pod does not exist"},
    {"PodTopologySpread", "missing required label", "TopologyLabelMissing",
     "the node lacks the label of a spread constraint"},
    {"PodTopologySpread", "", "TopologySpreadSkew", "a spread constraint would be violated"},
    {"TaintToleration", "", "UntoleratedTaint", "the pod does not tolerate a taint"},
    {"VolumeBinding", "unbound immediate", "ClaimNotBound", "a claim of the pod is not bound yet"},
    {"VolumeBinding", "node affinity", "VolumeAffinityMismatch", "a volume of the pod is not for this node"},
    {"VolumeBinding", "persistent volumes to bind", "NoVolumeToBind", "no volume there is free for a claim"},
    {"VolumeBinding", "free storage", "InsufficientStorage", "too little storage is free for a claim"},
    {"VolumeBinding", "non-existent", "VolumeNotFound", "a claim is bound to a volume that does not exist"},
    {"VolumeBinding", "ephemeral volume controller", "ClaimNotCreated",
     "the claim of an ephemeral volume is not created yet"},
    {"VolumeBinding", "not found", "ClaimNotFound", "a claim of the pod does not exist"},
    {"VolumeBinding", "being deleted", "ClaimDeleted", "a claim of the pod is being deleted"},
    {"VolumeBinding", "not created for pod", "ClaimOfAnotherPod",
     "the claim of an ephemeral volume is another pod's"},
    {"VolumeRestrictions", "no available disk", "DiskConflict", "a disk of the pod is in use there"},
    {"VolumeRestrictions", "ReadWriteOncePod", "ClaimInUse", "another pod uses a claim for one pod only"},
    {"VolumeRestrictions", "not found", "ClaimNotFound", "a claim of the pod does not exist"},
    {"VolumeZone", "volume zone", "VolumeZoneMismatch", "a volume of the pod is in another zone"},
    {"VolumeZone", "storageclass", "StorageClassNotFound", "the storage class of a claim does not exist"},
    {"VolumeZone", "persistentvolumeclaim", "ClaimNotFound", "a claim of the pod does not exist"},
    {"VolumeZone", "persistentvolume", "VolumeNotFound", "a claim is bound to a volume that does not exist"},
    {"VolumeZone", "", "ClaimInvalid", "a claim or its storage class lacks what names its volume"},
});

}  // namespace

std::span<const ReasonCode> reason_codes() { return kCodes; }

std::string_view reason_code(std::string_view plugin, std::string_view reason) {
  const auto it = std::ranges::find_if(kCodes, [&](const ReasonCode& one) {
    return one.plugin == plugin && reason.find(one.words) != std::string_view::npos;
  });
  return it == kCodes.end() ? kOtherCode : it->code;
}

}  // namespace podium::plugins
