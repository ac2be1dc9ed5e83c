#include "explain/workload/new_claims.h"

#include <fmt/format.h>

#include <utility>

#include "explain/workload/ephemeral_claims.h"
#include "scheduler/plugins/shared/csi_migration.h"

namespace podium::explain {
namespace {

const api::StorageClass* class_of(const api::PersistentVolumeClaim& claim, const cluster::Snapshot& fork) {
  return claim.storage_class ? fork.objects().find<api::StorageClass>("", *claim.storage_class) : nullptr;
}

// As its provisioner would make it.
std::shared_ptr<const api::PersistentVolume> volume_of(const api::PersistentVolumeClaim& claim,
                                                       const api::StorageClass& storage_class) {
  auto volume = std::make_shared<api::PersistentVolume>();
  volume->meta.name = fmt::format("pvc-{}-{}", claim.meta.namespace_, claim.meta.name);
  volume->meta.uid = volume->meta.name;
  volume->capacity = claim.request;
  volume->storage_class = storage_class.meta.name;
  volume->volume_mode = claim.volume_mode;
  volume->phase = "Bound";
  volume->access_modes = claim.access_modes;
  volume->claim = {claim.meta.namespace_, claim.meta.name, claim.meta.uid};
  if (!storage_class.allowed_topologies.empty()) volume->node_affinity = storage_class.allowed_topologies;
  volume->csi_driver = plugins::driver_of_provisioner(storage_class.provisioner);
  volume->csi_handle = volume->meta.name;
  return volume;
}

}  // namespace

bool is_provisioned_immediately(const api::PersistentVolumeClaim& claim, const cluster::Snapshot& fork) {
  const auto* found = class_of(claim, fork);
  if (!found || found->wait_for_first_consumer || !claim.volume_name.empty() || claim.selector) return false;
  if (found->provisioner.empty() || found->provisioner == "kubernetes.io/no-provisioner") return false;
  return fork.objects().volumes().free_of(found->meta.name).empty();
}

void add_claim(std::shared_ptr<api::PersistentVolumeClaim> claim, cluster::Snapshot& fork) {
  if (!claim->storage_class) claim->storage_class = default_storage_class(fork);
  if (is_provisioned_immediately(*claim, fork)) {
    auto volume = volume_of(*claim, *class_of(*claim, fork));
    claim->volume_name = volume->meta.name;
    claim->phase = "Bound";
    claim->meta.annotations.set("pv.kubernetes.io/bind-completed", "yes");
    fork.objects().set<api::PersistentVolume>(std::move(volume));
  }
  fork.objects().set<api::PersistentVolumeClaim>(std::move(claim));
}

}  // namespace podium::explain
