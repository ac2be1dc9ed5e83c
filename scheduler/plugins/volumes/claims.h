// What the volume plugins share: the claims that a pod's volumes stand for, and upstream's words where one is
// missing.
// Threads: pure functions; what they return points into the snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/verdict.h"

namespace podium::plugins {

using cluster::claim_name;

const api::PersistentVolumeClaim* find_claim(const cluster::Snapshot& snapshot, const api::Pod& pod,
                                             std::string_view name);
const api::PersistentVolume* find_volume(const cluster::Snapshot& snapshot, std::string_view name);
// Null where the claim names no class, or one that is not there.
const api::StorageClass* class_of(const cluster::Snapshot& snapshot, const api::PersistentVolumeClaim& claim);

// An ephemeral volume's claim has to be owned by its pod; otherwise it is somebody else's of the same name.
bool is_for_pod(const api::PersistentVolumeClaim& claim, const api::Pod& pod);
std::string not_for_pod(const api::PersistentVolumeClaim& claim, const api::Pod& pod);

std::string claim_not_found(std::string_view name);  // persistentvolumeclaim "name" not found

// Whether the volume's claimRef names the claim; a claimRef without a UID takes any claim of that name.
bool is_promised_to(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);

// The annotation of a claim that tells its provisioner the node.
inline constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";

// Where a volume is reached from, by a node affinity of its own or one that was made for it; nullopt:
// everywhere. Only the labels of a node count: upstream asks without the node's name, and then takes what is
// said of fields for met.
// Source: component-helpers/storage/volume CheckNodeAffinity.
using Affinity = std::optional<std::vector<api::NodeSelectorTerm>>;
Affinity by_labels(Affinity affinity);

// Bound, and known to be so: a claim that merely names its volume is not.
bool is_bound(const api::PersistentVolumeClaim& claim);

framework::Verdict unresolvable(std::string_view plugin, std::string reason);
framework::Verdict plugin_error(std::string_view plugin, std::string reason);

// Does the claim belong to the pod, for hints?
bool uses_claim(const api::Pod& pod, const api::PersistentVolumeClaim& claim, bool ephemeral_too);

}  // namespace podium::plugins
