// The names of the arguments of in-tree plugins, as configurations have them.
//
// Threads: constants. Errors: none.
#pragma once

namespace podium::plugins::arg_names {

inline constexpr char kAddedAffinity[] = "addedAffinity";
inline constexpr char kBindTimeoutSeconds[] = "bindTimeoutSeconds";
inline constexpr char kBindingTimeout[] = "bindingTimeout";
inline constexpr char kDefaultConstraints[] = "defaultConstraints";
inline constexpr char kDefaultingType[] = "defaultingType";
inline constexpr char kFilterTimeout[] = "filterTimeout";
inline constexpr char kHardPodAffinityWeight[] = "hardPodAffinityWeight";
inline constexpr char kIgnorePreferredTermsOfExistingPods[] = "ignorePreferredTermsOfExistingPods";
inline constexpr char kIgnoredResourceGroups[] = "ignoredResourceGroups";
inline constexpr char kIgnoredResources[] = "ignoredResources";
inline constexpr char kMinCandidateNodesAbsolute[] = "minCandidateNodesAbsolute";
inline constexpr char kMinCandidateNodesPercentage[] = "minCandidateNodesPercentage";
inline constexpr char kRequestedToCapacityRatio[] = "requestedToCapacityRatio";
inline constexpr char kResources[] = "resources";
inline constexpr char kScoringStrategy[] = "scoringStrategy";
inline constexpr char kShape[] = "shape";

}  // namespace podium::plugins::arg_names
