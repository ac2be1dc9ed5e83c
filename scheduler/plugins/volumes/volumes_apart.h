// Two volumes of a pod that are in different places, so that no node reaches both.
//
// As in kube-scheduler, the reasons of VolumeBinding and VolumeZone do not name a volume if the pod has
// several. For reports, the places are read from the same volumes.
// Threads: a pure function. Errors: none.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/values/pod.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::plugins {

struct PlacedVolume {
  std::string claim, volume, key;   // key: of the label of nodes
  std::vector<std::string> values;  // of the nodes that reach it, sorted
};

// The first two bound volumes in the pod's order that have no value of a label in common; nullopt: no two
// of its volumes are apart.
std::optional<std::pair<PlacedVolume, PlacedVolume>> volumes_apart(const api::Pod& pod,
                                                                   const cluster::Snapshot& snapshot);

}  // namespace podium::plugins
