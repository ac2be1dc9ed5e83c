#include "explain/workload/new_claims.h"

#include <fmt/format.h>

#include <utility>

#include "explain/workload/ephemeral_claims.h"
#include "scheduler/plugins/shared/csi_migration.h"
#include "scheduler/plugins/volumes/available.h"

namespace podium::explain {
namespace {

const api::StorageClass* class_of(const api::PersistentVolumeClaim& claim, const cluster::Snapshot& fork) {
  return claim.storage_class ? fork.objects().find<api::StorageClass>("", *claim.storage_class) : nullptr;
}

// As its provisioner would make it.
api::PersistentVolume volume_of(const api::PersistentVolumeClaim& claim,
                                const api::StorageClass& storage_class) {
  api::PersistentVolume volume;
  volume.meta.name = fmt::format("pvc-{}-{}", claim.meta.namespace_, claim.meta.name);
  volume.meta.uid = volume.meta.name;
  volume.capacity = claim.request;
  volume.storage_class = storage_class.meta.name;
  volume.volume_mode = claim.volume_mode;
  volume.access_modes = claim.access_modes;
  if (!storage_class.allowed_topologies.empty()) volume.node_affinity = storage_class.allowed_topologies;
  volume.csi_driver = plugins::driver_of_provisioner(storage_class.provisioner);
  volume.csi_handle = volume.meta.name;
  return volume;
}

using VolumePtr = std::shared_ptr<const api::PersistentVolume>;

bool waits_for_pod(const api::PersistentVolumeClaim& claim, const cluster::Snapshot& fork) {
  const auto* found = class_of(claim, fork);
  return found && found->wait_for_first_consumer;
}

// The existing volume to which the volume controller binds the claim without waiting for a pod: the one that
// the claim names, one with a claimRef to it, or else the one with the fewest access modes and the least
// capacity. Null: none.
VolumePtr volume_for(const api::PersistentVolumeClaim& claim, const cluster::Snapshot& fork) {
  const auto& objects = fork.objects();
  if (!claim.volume_name.empty()) {
    auto named = objects.shared<api::PersistentVolume>("", claim.volume_name);
    const bool holds =
        named && plugins::could_hold(*named, claim) && plugins::has_access_modes(*named, claim);
    return holds ? named : nullptr;
  }
  for (const auto name : objects.volumes().promised_to(claim)) {
    auto promised = objects.shared<api::PersistentVolume>("", name);
    if (promised && plugins::could_hold(*promised, claim)) return promised;
  }
  if (waits_for_pod(claim, fork)) return nullptr;
  VolumePtr best;
  const auto size = [](const api::PersistentVolume& volume) {
    return std::pair(volume.access_modes.size(), volume.capacity);
  };
  for (const auto& [_, volume] : objects.volumes().free_of(claim.storage_class.value_or(""))) {
    if (!plugins::could_hold(*volume, claim) || !plugins::is_free_for(*volume, claim)) continue;
    if (!best || size(*volume) < size(*best)) best = volume;
  }
  return best;
}

constexpr const char* kBindCompleted = "pv.kubernetes.io/bind-completed";

// Binds the claim, and `volume` to it.
void bind(api::PersistentVolumeClaim& claim, api::PersistentVolume volume, cluster::Snapshot& fork) {
  claim.volume_name = volume.meta.name;
  claim.phase = "Bound";
  claim.meta.annotations.set(kBindCompleted, "yes");
  volume.claim = {claim.meta.namespace_, claim.meta.name, claim.meta.uid};
  volume.phase = "Bound";
  fork.objects().set<api::PersistentVolume>(std::make_shared<const api::PersistentVolume>(std::move(volume)));
}

}  // namespace

bool is_provisioned_immediately(const api::PersistentVolumeClaim& claim, const cluster::Snapshot& fork) {
  const auto* found = class_of(claim, fork);
  if (!found || found->wait_for_first_consumer || !claim.volume_name.empty() || claim.selector) return false;
  if (found->provisioner.empty() || found->provisioner == "kubernetes.io/no-provisioner") return false;
  return !volume_for(claim, fork);
}

void make_available(api::PersistentVolume& volume) {
  if (volume.phase == "Pending") volume.phase = "Available";
}

void add_claim(std::shared_ptr<api::PersistentVolumeClaim> claim, cluster::Snapshot& fork) {
  if (!claim->storage_class) claim->storage_class = default_storage_class(fork);
  if (!claim->meta.annotations.contains(kBindCompleted)) {
    if (const auto volume = volume_for(*claim, fork))
      bind(*claim, *volume, fork);
    else if (is_provisioned_immediately(*claim, fork))
      bind(*claim, volume_of(*claim, *class_of(*claim, fork)), fork);
  }
  fork.objects().set<api::PersistentVolumeClaim>(std::move(claim));
}

}  // namespace podium::explain
