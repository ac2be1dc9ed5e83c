#include "scheduler/plugins/registry.h"

#include "scheduler/plugins/shared/factories.h"

namespace podium::plugins {

// Source: pkg/scheduler/apis/config/v1/default_plugins.go with the default feature gates, and the interfaces
// that each plugin asserts in pkg/scheduler/framework/plugins.
std::span<const PluginEntry> in_tree() {
  using enum Point;
  static const std::vector<PluginEntry> list{
      {"SchedulingGates", {pre_enqueue}, 0, make_scheduling_gates},
      {"PrioritySort", {queue_sort}},
      {"NodeName", {pre_filter, filter}, 0, make_node_name},
      {"NodeUnschedulable", {pre_filter, filter}, 0, make_node_unschedulable},
      {"TaintToleration", {pre_filter, filter, pre_score, score}, 3, make_taint_toleration},
      {"NodeAffinity", {pre_filter, filter, pre_score, score}, 2, make_node_affinity},
      {"NodePorts", {pre_filter, filter}, 0, make_node_ports},
      {"NodeResourcesFit", {pre_filter, filter, pre_score, score}, 1, make_node_resources_fit},
      {"VolumeRestrictions", {pre_filter, filter}, 0, make_volume_restrictions},
      {"NodeVolumeLimits", {pre_filter, filter}, 0, make_node_volume_limits},
      {"VolumeBinding", {pre_filter, filter, pre_score, score, reserve, pre_bind}, 0, make_volume_binding},
      {"VolumeZone", {pre_filter, filter}, 0, make_volume_zone},
      {"PodTopologySpread", {pre_filter, filter, pre_score, score}, 2, make_pod_topology_spread},
      {"InterPodAffinity", {pre_filter, filter, pre_score, score}, 2, make_inter_pod_affinity},
      {"DynamicResources",
       {pre_enqueue, pre_filter, filter, post_filter, score, reserve, pre_bind, pod_group_post_filter},
       2,
       make_dynamic_resources},
      {"DefaultPreemption", {pre_enqueue, post_filter, pod_group_post_filter}, 0, make_default_preemption},
      {"NodeResourcesBalancedAllocation", {pre_score, score}, 1, make_node_resources_balanced_allocation},
      {"ImageLocality", {score}, 1, make_image_locality},
      {"DefaultBinder", {bind}},
      {"NodeDeclaredFeatures",
       {pre_filter, filter},
       0,
       make_node_declared_features,
       true,
       &framework::Features::node_declared_features},
      // Behind feature gates that are off by default.
      {"DeferredPodScheduling", {pre_filter, filter, permit}, 0, {}, false},
      {"GangScheduling", {pre_enqueue, permit}, 0, {}, false},
      {"TopologyPlacementGenerator", {placement_generate}, 0, {}, false},
      {"PodGroupPodsCount", {placement_score}, 1, {}, false},
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
