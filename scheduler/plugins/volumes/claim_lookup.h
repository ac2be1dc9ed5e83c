// Helpers of the volume plugins: look up claims, volumes and storage classes, and format
// upstream's error texts.
// Threads: pure functions. Returned pointers point into the snapshot; null: not found.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/objects.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/verdict.h"

namespace podium::plugins {

using cluster::claim_name;

const api::PersistentVolumeClaim* find_claim(const cluster::Snapshot& snapshot, const api::Pod& pod,
                                             std::string_view name);
const api::PersistentVolume* find_volume(const cluster::Snapshot& snapshot, std::string_view name);
// Null if the claim names no class, or a class that does not exist.
const api::StorageClass* class_of(const cluster::Snapshot& snapshot, const api::PersistentVolumeClaim& claim);
// False for a class of volumes that users create.
bool creates_volumes(const api::StorageClass& storage_class);

// The message if an ephemeral volume's claim is not is_for_pod().
std::string not_for_pod(const api::PersistentVolumeClaim& claim, const api::Pod& pod);

// Upstream's errors.
inline constexpr const char* kClaimWithoutName = "PersistentVolumeClaim had no name";
std::string without_binding_mode(std::string_view storage_class);

framework::Reason claim_not_found(const std::string& name);  // persistentvolumeclaim "name" not found

// True if the volume's claimRef names the claim. A claimRef without a UID matches any claim of that name.
bool claim_ref_matches(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);

// The claim annotation with the node for which the provisioner creates the volume.
inline constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";

// Reduces a volume's node affinity to its label requirements; nullopt: every node matches. Upstream checks a
// volume's affinity against a node without a name and treats matchFields as satisfied.
// Source: component-helpers/storage/volume CheckNodeAffinity.
using Affinity = std::optional<std::vector<api::NodeSelectorTerm>>;
Affinity by_labels(Affinity affinity);

// True if the claim is fully bound. A claim with a volume name but without the bind-completed
// annotation is not.
bool is_bound(const api::PersistentVolumeClaim& claim);

framework::Verdict unresolvable(std::string_view plugin, framework::Reason reason);
framework::Verdict plugin_error(std::string_view plugin, std::string reason);

// True if a volume of the pod uses the claim; for queueing hints. `ephemeral_too` includes the claims
// of ephemeral volumes.
bool uses_claim(const api::Pod& pod, const api::PersistentVolumeClaim& claim, bool ephemeral_too);

}  // namespace podium::plugins
