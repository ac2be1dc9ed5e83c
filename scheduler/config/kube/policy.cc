#include "scheduler/config/kube/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <span>

#include "scheduler/config/schema/kube_schema.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::config {
namespace json = boost::json;
namespace {

struct Successor {
  std::string_view old_name, now;
};

constexpr std::array kPredicates = std::to_array<Successor>({
    {"CheckNodeLabelPresence", "NodeAffinity, with the labels as pluginConfig NodeAffinity.addedAffinity"},
    {"CheckNodeUnschedulable", framework::names::kNodeUnschedulable},
    {"CheckServiceAffinity", "InterPodAffinity, with affinity terms in the pods"},
    {"CheckVolumeBinding", framework::names::kVolumeBinding},
    {"EvenPodsSpread", framework::names::kPodTopologySpread},
    {"GeneralPredicates", "NodeName, NodePorts, NodeAffinity and NodeResourcesFit"},
    {"HostName", framework::names::kNodeName},
    {"MatchInterPodAffinity", framework::names::kInterPodAffinity},
    {"MatchNodeSelector", framework::names::kNodeAffinity},
    {"MaxAzureDiskVolumeCount", framework::names::kNodeVolumeLimits},
    {"MaxCSIVolumeCountPred", framework::names::kNodeVolumeLimits},
    {"MaxCinderVolumeCount", framework::names::kNodeVolumeLimits},
    {"MaxEBSVolumeCount", framework::names::kNodeVolumeLimits},
    {"MaxGCEPDVolumeCount", framework::names::kNodeVolumeLimits},
    {"NoDiskConflict", framework::names::kVolumeRestrictions},
    {"NoVolumeZoneConflict", framework::names::kVolumeZone},
    {"PodFitsHostPorts", framework::names::kNodePorts},
    {"PodFitsPorts", framework::names::kNodePorts},
    {"PodFitsResources", framework::names::kNodeResourcesFit},
    {"PodToleratesNodeNoExecuteTaints", framework::names::kTaintToleration},
    {"PodToleratesNodeTaints", framework::names::kTaintToleration},
});

constexpr std::array kPriorities = std::to_array<Successor>({
    {"BalancedResourceAllocation", framework::names::kNodeResourcesBalancedAllocation},
    {"EvenPodsSpreadPriority", framework::names::kPodTopologySpread},
    {"ImageLocalityPriority", framework::names::kImageLocality},
    {"InterPodAffinityPriority", framework::names::kInterPodAffinity},
    {"LeastRequestedPriority", "NodeResourcesFit, whose scoringStrategy is LeastAllocated by default"},
    {"MostRequestedPriority", "NodeResourcesFit, with scoringStrategy {type: MostAllocated}"},
    {"NodeAffinityPriority", framework::names::kNodeAffinity},
    {"RequestedToCapacityRatioPriority",
     "NodeResourcesFit, with scoringStrategy {type: RequestedToCapacityRatio}"},
    {"SelectorSpreadPriority", "PodTopologySpread, whose default constraints spread what a service selects"},
    {"ServiceSpreadingPriority",
     "PodTopologySpread, whose default constraints spread what a service selects"},
    {"TaintTolerationPriority", framework::names::kTaintToleration},
});

void name_successors(const json::object& policy, std::string_view list_name,
                     std::span<const Successor> successors, std::string_view where, Problems& problems) {
  const auto* list = policy.if_contains(list_name);
  if (!list || !list->is_array()) return;
  for (std::size_t i = 0; i < list->get_array().size(); ++i) {
    const auto* entry = list->get_array()[i].if_object();
    const auto* name = entry ? entry->if_contains("name") : nullptr;
    if (!name || !name->is_string()) continue;
    const std::string_view text = name->get_string();
    const auto* weight = entry->if_contains("weight");
    const auto weighed =
        weight && weight->is_int64() ? fmt::format(", weight: {}", weight->get_int64()) : std::string();
    const auto it = std::ranges::find(successors, text, &Successor::old_name);
    const auto said =
        it == successors.end()
            ? fmt::format("{} has no successor", text)
            : fmt::format("{} is the plugin {} (profiles[].plugins.{}.enabled: [{{name: …{}}}])", text,
                          it->now, where, weighed);
    problems.add(item(list_name, i), said);
  }
}

}  // namespace

std::string policy_removed_message() {
  return fmt::format(
      "scheduler policies were removed in Kubernetes 1.23: write a file with apiVersion: {} and kind: {}; "
      "its default profile has all of kube-scheduler's plugins, so list only what differs",
      kKubeApiVersion, kKubeKind);
}

void refuse_policy(const json::object& policy, Problems& problems) {
  problems.add("kind", policy_removed_message());
  name_successors(policy, "predicates", kPredicates, "filter", problems);
  name_successors(policy, "priorities", kPriorities, "score", problems);
  if (policy.contains("extenders")) {
    problems.add("extenders",
                 fmt::format("is now a field of {} with the same fields, except that enableHttps is named "
                             "enableHTTPS and httpTimeout is a string such as 5s",
                             kKubeKind));
  }
}

}  // namespace podium::config
