// CSI migration: the in-tree disks that a CSI driver has taken over, and what they are called there.
// Source: k8s.io/csi-translation-lib. Threads: pure functions.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"

namespace podium::plugins {

struct CsiVolume {
  std::string driver, handle;
  std::string unique_name() const { return driver + "/" + handle; }
};

// What an in-tree volume is to its driver, or, in upstream's words, why the driver cannot be told of it.
using Translation = std::expected<CsiVolume, std::string>;

// Of a disk named in a pod, and of a persistent volume that is no CSI volume by itself; nullopt where no
// driver has taken it over.
std::optional<Translation> translated(const api::Volume& inline_volume);
std::optional<Translation> translated(const api::PersistentVolume& volume);

// The driver that provisions in place of an in-tree provisioner ("kubernetes.io/aws-ebs"); other names stay
// as they are.
std::string_view driver_of_provisioner(std::string_view provisioner);
// In-tree provisioners that have a CSI driver, but whose migration the scheduler does not count.
bool is_uncounted_provisioner(std::string_view provisioner);

// Where the kubelet of a node has migrated the plugin of the volume (`plugin`, empty where that makes no
// difference), the node is asked for the driver's topology label instead of the zone's, or cannot be asked.
struct MigratedAffinity {
  std::string_view plugin;
  std::expected<std::optional<std::vector<api::NodeSelectorTerm>>, std::string> terms;
};
MigratedAffinity migrated_affinity(const api::PersistentVolume& volume);
bool has_migrated(const api::CsiNode& node, std::string_view plugin);

}  // namespace podium::plugins
