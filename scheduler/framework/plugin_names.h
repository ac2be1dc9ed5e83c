// The names of the in-tree plugins, as configurations, verdicts and reports have them.
//
// Threads: constants. Errors: none.
#pragma once

namespace podium::framework::names {

// Arrays, so that they convert to std::string and to std::string_view.
inline constexpr char kDefaultBinder[] = "DefaultBinder";
inline constexpr char kDefaultPreemption[] = "DefaultPreemption";
inline constexpr char kDeferredPodScheduling[] = "DeferredPodScheduling";
inline constexpr char kDynamicResources[] = "DynamicResources";
inline constexpr char kGangScheduling[] = "GangScheduling";
inline constexpr char kImageLocality[] = "ImageLocality";
inline constexpr char kInterPodAffinity[] = "InterPodAffinity";
inline constexpr char kNodeAffinity[] = "NodeAffinity";
inline constexpr char kNodeDeclaredFeatures[] = "NodeDeclaredFeatures";
inline constexpr char kNodeName[] = "NodeName";
inline constexpr char kNodePorts[] = "NodePorts";
inline constexpr char kNodeResourcesBalancedAllocation[] = "NodeResourcesBalancedAllocation";
inline constexpr char kNodeResourcesFit[] = "NodeResourcesFit";
inline constexpr char kNodeUnschedulable[] = "NodeUnschedulable";
inline constexpr char kNodeVolumeLimits[] = "NodeVolumeLimits";
inline constexpr char kPodGroupPodsCount[] = "PodGroupPodsCount";
inline constexpr char kPodTopologySpread[] = "PodTopologySpread";
inline constexpr char kPrioritySort[] = "PrioritySort";
inline constexpr char kSchedulingGates[] = "SchedulingGates";
inline constexpr char kTaintToleration[] = "TaintToleration";
inline constexpr char kTopologyPlacementGenerator[] = "TopologyPlacementGenerator";
inline constexpr char kVolumeBinding[] = "VolumeBinding";
inline constexpr char kVolumeRestrictions[] = "VolumeRestrictions";
inline constexpr char kVolumeZone[] = "VolumeZone";

}  // namespace podium::framework::names
