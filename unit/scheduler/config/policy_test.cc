// The replacement of each predicate and priority of kube-scheduler 1.22.
// Source: pkg/scheduler/framework/plugins/legacy_registry.go of 1.22, NewLegacyRegistry.
#include "scheduler/config/kube/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <string>

namespace podium::config {
namespace {

using testing::StartsWith;

struct Successor {
  std::string name, plugin;
};

// What legacy_registry.go turns each predicate and priority into; where it is several plugins, the first.
const Successor kPredicates[] = {
    {"CheckNodeLabelPresence", "NodeAffinity"},
    {"CheckNodeUnschedulable", "NodeUnschedulable"},
    {"CheckServiceAffinity", "InterPodAffinity"},
    {"CheckVolumeBinding", "VolumeBinding"},
    {"EvenPodsSpread", "PodTopologySpread"},
    {"GeneralPredicates", "NodeName"},
    {"HostName", "NodeName"},
    {"MatchInterPodAffinity", "InterPodAffinity"},
    {"MatchNodeSelector", "NodeAffinity"},
    {"MaxAzureDiskVolumeCount", "NodeVolumeLimits"},
    {"MaxCSIVolumeCountPred", "NodeVolumeLimits"},
    {"MaxCinderVolumeCount", "NodeVolumeLimits"},
    {"MaxEBSVolumeCount", "NodeVolumeLimits"},
    {"MaxGCEPDVolumeCount", "NodeVolumeLimits"},
    {"NoDiskConflict", "VolumeRestrictions"},
    {"NoVolumeZoneConflict", "VolumeZone"},
    {"PodFitsHostPorts", "NodePorts"},
    {"PodFitsPorts", "NodePorts"},
    {"PodFitsResources", "NodeResourcesFit"},
    {"PodToleratesNodeNoExecuteTaints", "TaintToleration"},
    {"PodToleratesNodeTaints", "TaintToleration"},
};

const Successor kPriorities[] = {
    {"BalancedResourceAllocation", "NodeResourcesBalancedAllocation"},
    {"EvenPodsSpreadPriority", "PodTopologySpread"},
    {"ImageLocalityPriority", "ImageLocality"},
    {"InterPodAffinityPriority", "InterPodAffinity"},
    {"LeastRequestedPriority", "NodeResourcesFit"},
    {"MostRequestedPriority", "NodeResourcesFit"},
    {"NodeAffinityPriority", "NodeAffinity"},
    {"RequestedToCapacityRatioPriority", "NodeResourcesFit"},
    {"SelectorSpreadPriority", "PodTopologySpread"},
    {"ServiceSpreadingPriority", "PodTopologySpread"},
    {"TaintTolerationPriority", "TaintToleration"},
};

std::string finding(const char* list, const std::string& name) {
  boost::json::object policy;
  policy[list].emplace_array().push_back(boost::json::object{{"name", name}});
  Problems problems;
  refuse_policy(policy, problems);
  return problems.findings().back().reason;
}

TEST(Policy, EveryPredicateAndPriorityNamesItsSuccessor) {
  for (const auto& [name, plugin] : kPredicates) {
    EXPECT_THAT(finding("predicates", name), StartsWith(name + " is the plugin " + plugin));
    EXPECT_EQ(finding("priorities", name), name + " has no successor");
  }
  for (const auto& [name, plugin] : kPriorities) {
    EXPECT_THAT(finding("priorities", name), StartsWith(name + " is the plugin " + plugin));
    EXPECT_EQ(finding("predicates", name), name + " has no successor");
  }
}

TEST(Policy, TheFindingSaysWhatToConfigure) {
  EXPECT_EQ(finding("predicates", "HostName"),
            "HostName is the plugin NodeName (profiles[].plugins.filter.enabled: [{name: …}])");
  EXPECT_EQ(
      finding("priorities", "MostRequestedPriority"),
      "MostRequestedPriority is the plugin NodeResourcesFit, with scoringStrategy {type: MostAllocated} "
      "(profiles[].plugins.score.enabled: [{name: …}])");
}

}  // namespace
}  // namespace podium::config
