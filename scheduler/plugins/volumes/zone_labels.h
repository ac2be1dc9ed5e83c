// The zone and region labels of a volume, which restrict the nodes that reach it.
//
// Source: pkg/scheduler/framework/plugins/volumezone. Threads: pure functions. Errors: none.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/objects.h"
#include "api/values/topology_labels.h"

namespace podium::plugins {

struct TopologyLabel {
  std::string_view key, fallback;  // `fallback` is used on nodes without the beta label
};
inline constexpr std::array<TopologyLabel, 4> kTopologyLabels = {{
    {"failure-domain.beta.kubernetes.io/zone", api::label::zone},
    {"failure-domain.beta.kubernetes.io/region", api::label::region},
    {api::label::zone, api::label::zone},
    {api::label::region, api::label::region},
}};

// A zone or region label of a volume: the node's label must have one of the values.
struct VolumeTopology {
  TopologyLabel label;
  std::vector<std::string> values;  // sorted and unique
  bool operator==(const VolumeTopology& other) const {
    return label.key == other.label.key && values == other.values;
  }
};

std::vector<VolumeTopology> topologies_of(const api::PersistentVolume& volume);

}  // namespace podium::plugins
