// CSI migration: translates in-tree volumes, topologies and provisioners to those of their CSI drivers.
//
// Source: k8s.io/csi-translation-lib. Threads: pure functions.
// Errors: upstream's text if a volume cannot be translated.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/node_selector_term.h"

namespace podium::api {
struct CsiNode;
struct PersistentVolume;
struct Volume;
}  // namespace podium::api

namespace podium::plugins {

struct CsiVolume {
  std::string driver, handle;
  std::string unique_name() const { return driver + "/" + handle; }
};

// The CSI volume of an in-tree volume, or upstream's error text.
using Translation = std::expected<CsiVolume, std::string>;

// Translate an inline volume of a pod, or a persistent volume that is not a CSI volume itself. nullopt: no
// CSI driver replaces the volume's in-tree plugin.
std::optional<Translation> translated(const api::Volume& inline_volume);
std::optional<Translation> translated(const api::PersistentVolume& volume);

// The CSI driver that replaces an in-tree provisioner ("kubernetes.io/aws-ebs"). Other names
// are returned unchanged.
std::string_view driver_of_provisioner(std::string_view provisioner);
// True for in-tree provisioners that have a CSI driver but do not count against volume limits.
bool is_uncounted_provisioner(std::string_view provisioner);

// The node affinity of a volume on nodes whose kubelet has migrated `plugin`: it uses the driver's topology
// label instead of the zone label. `plugin` is empty if migration makes no difference. `terms` is nullopt if
// the volume has no affinity, or an error if the volume cannot be translated.
struct MigratedAffinity {
  std::string_view plugin;
  std::expected<std::optional<std::vector<api::NodeSelectorTerm>>, std::string> terms;
};
MigratedAffinity migrated_affinity(const api::PersistentVolume& volume);
bool has_migrated(const api::CsiNode& node, std::string_view plugin);

}  // namespace podium::plugins
