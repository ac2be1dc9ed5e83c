// The replacement of each predicate and priority of kube-scheduler 1.22.
// Source: pkg/scheduler/framework/plugins/legacy_registry.go of 1.22, NewLegacyRegistry.
#include "scheduler/config/policy.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <string>

namespace podium::config {
namespace {

struct Successor {
  std::string name, plugin;
};

constexpr const char* kSpreadsServices =
    "PodTopologySpread, whose default constraints spread what a service selects";

const Successor kPredicates[] = {
    {"CheckNodeLabelPresence", "NodeAffinity, with the labels as pluginConfig NodeAffinity.addedAffinity"},
    {"CheckNodeUnschedulable", "NodeUnschedulable"},
    {"CheckServiceAffinity", "InterPodAffinity, with affinity terms in the pods"},
    {"CheckVolumeBinding", "VolumeBinding"},
    {"EvenPodsSpread", "PodTopologySpread"},
    {"GeneralPredicates", "NodeName, NodePorts, NodeAffinity and NodeResourcesFit"},
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
    {"LeastRequestedPriority", "NodeResourcesFit, whose scoringStrategy is LeastAllocated by default"},
    {"MostRequestedPriority", "NodeResourcesFit, with scoringStrategy {type: MostAllocated}"},
    {"NodeAffinityPriority", "NodeAffinity"},
    {"RequestedToCapacityRatioPriority",
     "NodeResourcesFit, with scoringStrategy {type: RequestedToCapacityRatio}"},
    {"SelectorSpreadPriority", kSpreadsServices},
    {"ServiceSpreadingPriority", kSpreadsServices},
    {"TaintTolerationPriority", "TaintToleration"},
};

std::string finding(const char* list, const std::string& name) {
  boost::json::object policy;
  policy[list].emplace_array().push_back(boost::json::object{{"name", name}});
  Findings findings("f");
  refuse_policy(policy, findings);
  const auto text = findings.text();
  return text.substr(text.find(": ", text.find(list)) + 2);
}

TEST(Policy, EveryPredicateAndPriorityIsToldItsSuccessor) {
  for (const auto& [name, plugin] : kPredicates) {
    EXPECT_EQ(finding("predicates", name),
              name + " is the plugin " + plugin + " (profiles[].plugins.filter.enabled: [{name: …}])");
    EXPECT_EQ(finding("priorities", name), name + " has no successor");
  }
  for (const auto& [name, plugin] : kPriorities) {
    EXPECT_EQ(finding("priorities", name),
              name + " is the plugin " + plugin + " (profiles[].plugins.score.enabled: [{name: …}])");
    EXPECT_EQ(finding("predicates", name), name + " has no successor");
  }
}

}  // namespace
}  // namespace podium::config
