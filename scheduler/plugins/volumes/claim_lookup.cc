#include "scheduler/plugins/volumes/claim_lookup.h"

#include <algorithm>

#include <fmt/format.h>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/node_selector.h"

namespace podium::plugins {

using Kind = api::Volume::Kind;

const api::PersistentVolumeClaim* find_claim(const cluster::Snapshot& snapshot, const api::Pod& pod,
                                             std::string_view name) {
  return snapshot.objects().find<api::PersistentVolumeClaim>(pod.meta.namespace_, name);
}

const api::PersistentVolume* find_volume(const cluster::Snapshot& snapshot, std::string_view name) {
  return snapshot.objects().find<api::PersistentVolume>("", name);
}

const api::StorageClass* class_of(const cluster::Snapshot& snapshot,
                                  const api::PersistentVolumeClaim& claim) {
  if (!claim.storage_class || claim.storage_class->empty()) return nullptr;
  return snapshot.objects().find<api::StorageClass>("", *claim.storage_class);
}

bool creates_volumes(const api::StorageClass& storage_class) {
  return !storage_class.provisioner.empty() && storage_class.provisioner != "kubernetes.io/no-provisioner";
}

std::string not_for_pod(const api::PersistentVolumeClaim& claim, const api::Pod& pod) {
  return fmt::format("PVC {}/{} was not created for pod {} (pod is not owner)", claim.meta.namespace_,
                     claim.meta.name, pod.full_name());
}

std::string without_binding_mode(std::string_view storage_class) {
  return fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", storage_class);
}

framework::Reason claim_not_found(const std::string& name) {
  return framework::Reason(framework::ReasonCode::claim_not_found, {{framework::Topic::claim, name}});
}

bool claim_ref_matches(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return volume.claim && volume.claim->name == claim.meta.name &&
         volume.claim->namespace_ == claim.meta.namespace_ &&
         (volume.claim->uid.empty() || volume.claim->uid == claim.meta.uid);
}

Affinity by_labels(Affinity affinity) {
  if (!affinity) return affinity;
  // A term that cannot be parsed matches no node, even if its label requirements do.
  std::erase_if(*affinity, [](const auto& term) { return !has_valid_fields(term); });
  for (auto& term : *affinity) {
    if (term.match_fields.empty()) continue;
    if (term.match_expressions.empty()) return std::nullopt;
    term.match_fields.clear();
  }
  return affinity;
}

bool is_bound(const api::PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() && claim.meta.annotations.contains("pv.kubernetes.io/bind-completed");
}

framework::Verdict unresolvable(std::string_view plugin, framework::Reason reason) {
  return {std::string(plugin), framework::Code::unschedulable_and_unresolvable, {std::move(reason)}};
}

framework::Verdict plugin_error(std::string_view plugin, std::string reason) {
  return {std::string(plugin), framework::Code::error, {std::move(reason)}};
}

bool uses_claim(const api::Pod& pod, const api::PersistentVolumeClaim& claim, bool ephemeral_too) {
  return pod.meta.namespace_ == claim.meta.namespace_ &&
         std::ranges::any_of(pod.volumes, [&](const api::Volume& volume) {
           return (ephemeral_too || volume.kind == Kind::claim) && claim_name(pod, volume) == claim.meta.name;
         });
}

}  // namespace podium::plugins
