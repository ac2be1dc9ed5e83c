// CSI migration: the in-tree disks that a CSI driver has taken over, and what they are called there.
// Source: k8s.io/csi-translation-lib. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"

namespace podium::plugins {

struct CsiVolume {
  std::string driver, handle;
  bool migrated = false;  // not a CSI volume by itself: a node without a CSINode does not take it for one
  std::string unique_name() const { return driver + "/" + handle; }
};

// The CSI volume that a disk named in a pod is; nullopt for what is not migrated. The handle is empty where
// the driver would have no name for it.
std::optional<CsiVolume> migrated(const api::Volume& inline_volume);
// The CSI volume of a persistent volume, which may have been one all along.
std::optional<CsiVolume> csi_volume(const api::PersistentVolume& volume);

// The driver that provisions in place of an in-tree provisioner ("kubernetes.io/aws-ebs"); other names stay
// as they are.
std::string_view driver_of_provisioner(std::string_view provisioner);
// In-tree provisioners that have a CSI driver, but whose migration the scheduler does not count.
bool is_uncounted_provisioner(std::string_view provisioner);

// Where the kubelet of a node has migrated the plugin of the volume (`plugin`, empty where there is none to
// migrate), the node is asked for the driver's topology label instead of the zone's.
struct MigratedAffinity {
  std::string_view plugin;
  std::optional<std::vector<api::NodeSelectorTerm>> terms;
};
MigratedAffinity migrated_affinity(const api::PersistentVolume& volume);
bool has_migrated(const api::CsiNode& node, std::string_view plugin);

}  // namespace podium::plugins
