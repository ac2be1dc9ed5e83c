#include "scheduler/plugins/registry.h"

#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {

// Source: pkg/scheduler/apis/config/v1/default_plugins.go with the default feature gates, and the interfaces
// that each plugin asserts in pkg/scheduler/framework/plugins.
std::span<const PluginEntry> in_tree() {
  using enum Point;
  using namespace framework::names;
  static const std::vector<PluginEntry> list{
      {kSchedulingGates, {pre_enqueue}, 0, make_scheduling_gates},
      {kPrioritySort, {queue_sort}},
      {kNodeName, {pre_filter, filter}, 0, make_node_name},
      {kNodeUnschedulable, {pre_filter, filter}, 0, make_node_unschedulable},
      {kTaintToleration, {pre_filter, filter, pre_score, score}, 3, make_taint_toleration},
      {kNodeAffinity, {pre_filter, filter, pre_score, score}, 2, make_node_affinity},
      {kNodePorts, {pre_filter, filter}, 0, make_node_ports},
      {kNodeResourcesFit, {pre_filter, filter, pre_score, score}, 1, make_node_resources_fit},
      {kVolumeRestrictions, {pre_filter, filter}, 0, make_volume_restrictions},
      {kNodeVolumeLimits, {pre_filter, filter}, 0, make_node_volume_limits},
      {kVolumeBinding, {pre_filter, filter, pre_score, score, reserve, pre_bind}, 0, make_volume_binding},
      {kVolumeZone, {pre_filter, filter}, 0, make_volume_zone},
      {kPodTopologySpread, {pre_filter, filter, pre_score, score}, 2, make_pod_topology_spread},
      {kInterPodAffinity, {pre_filter, filter, pre_score, score}, 2, make_inter_pod_affinity},
      {kDynamicResources,
       {pre_enqueue, pre_filter, filter, post_filter, score, reserve, pre_bind, pod_group_post_filter},
       2,
       make_dynamic_resources},
      {kDefaultPreemption, {pre_enqueue, post_filter, pod_group_post_filter}, 0, make_default_preemption},
      {kNodeResourcesBalancedAllocation, {pre_score, score}, 1, make_node_resources_balanced_allocation},
      {kImageLocality, {score}, 1, make_image_locality},
      {kDefaultBinder, {bind}},
      {kNodeDeclaredFeatures,
       {pre_filter, filter},
       0,
       make_node_declared_features,
       true,
       &framework::Features::node_declared_features},
      // Behind feature gates that are off by default.
      {kDeferredPodScheduling, {pre_filter, filter, permit}, 0, {}, false},
      {kGangScheduling, {pre_enqueue, permit}, 0, {}, false},
      {kTopologyPlacementGenerator, {placement_generate}, 0, {}, false},
      {kPodGroupPodsCount, {placement_score}, 1, {}, false},
  };
  return list;
}

const PluginEntry* find_in_tree(std::string_view name) {
  for (const auto& plugin : in_tree()) {
    if (plugin.name == name) return &plugin;
  }
  return nullptr;
}

const PluginEntry* Registry::find(std::string_view name) const {
  for (const auto& plugin : added_) {
    if (plugin.name == name) return &plugin;
  }
  return find_in_tree(name);
}

Registry& Registry::add(PluginEntry entry) {
  if (!find(entry.name)) {
    added_.push_back(std::move(entry));
  } else if (clash_.empty()) {
    clash_ = std::move(entry.name);
  }
  return *this;
}

}  // namespace podium::plugins
