#include "e2e/tables/gates.h"

#include <string_view>
#include <utility>

namespace podium::tables {

framework::Features features_of(const boost::json::object& question) {
  using framework::Features;
  // By the names of the fields of upstream's feature.Features.
  static constexpr std::pair<std::string_view, bool Features::*> kGates[] = {
      {"enableInPlacePodLevelResourcesVerticalScaling", &Features::in_place_pod_level_resize},
      {"enableMatchLabelKeysInPodTopologySpread", &Features::match_label_keys_in_pod_topology_spread},
      {"enablePodLevelResources", &Features::pod_level_resources},
      {"enableStorageCapacityScoring", &Features::storage_capacity_scoring},
      {"enableTaintTolerationComparisonOperators", &Features::taint_toleration_comparison_operators},
      {"enableVolumeLimitScaling", &Features::volume_limit_scaling},
  };
  Features features;
  const auto* gates = question.if_contains("gates");
  if (!gates) return features;
  for (const auto& [name, member] : kGates) {
    const auto* gate = gates->as_object().if_contains(name);
    if (gate && gate->is_bool()) features.*member = gate->get_bool();
  }
  return features;
}

}  // namespace podium::tables
