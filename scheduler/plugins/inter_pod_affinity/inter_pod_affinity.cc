#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"

#include "api/values/node.h"
#include "api/values/pod.h"
#include "scheduler/plugins/shared/arg_names.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {

// Source: plugin.go EventsToRegister.
std::vector<framework::EventHint> InterPodAffinity::hints() const {
  using namespace framework;
  std::vector<EventHint> hints;
  hints.push_back({EventResource::assigned_pod, kAdd | kDelete | kUpdatePodLabel,
                   [](const cluster::PodInfo& rejected, const ClusterEvent& event) {
                     return affinity_helps_after_pod_change(*rejected, object_before<api::Pod>(event),
                                                            object_after<api::Pod>(event));
                   }});
  // Anti-affinity terms of other pods may no longer match its labels.
  hints.push_back({EventResource::target_pod, kUpdatePodLabel, nullptr});
  hints.push_back({EventResource::node, kAdd | kUpdateNodeLabel,
                   [](const cluster::PodInfo& rejected, const ClusterEvent& event) {
                     return affinity_helps_after_node_change(*rejected, object_before<api::Node>(event),
                                                             object_after<api::Node>(event));
                   }});
  return hints;
}

PluginPtr make_inter_pod_affinity(const boost::json::object& args) {
  InterPodAffinity::Args parsed;
  if (const auto* weight = args.if_contains(arg_names::kHardPodAffinityWeight);
      weight && !weight->is_null()) {
    if (!weight->is_int64()) return nullptr;
    parsed.hard_pod_affinity_weight = static_cast<std::int32_t>(weight->get_int64());
  }
  if (const auto* ignore = args.if_contains(arg_names::kIgnorePreferredTermsOfExistingPods);
      ignore && !ignore->is_null()) {
    if (!ignore->is_bool()) return nullptr;
    parsed.ignore_preferred_terms_of_existing_pods = ignore->get_bool();
  }
  return std::make_shared<InterPodAffinity>(parsed);
}

}  // namespace podium::plugins
