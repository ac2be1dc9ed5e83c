#include "explain/workload/device_claims.h"

#include <algorithm>
#include <memory>
#include <string>

namespace podium::explain {
namespace {

// Null: the entry does not need a claim, or its claim does not exist yet.
const std::string* claim_name(const api::Pod& pod, const api::PodResourceClaim& entry) {
  const auto* name = pod.claim_name(entry);
  return name && *name ? &**name : nullptr;
}

void free_claim(const api::Pod& gone, const std::string& name, cluster::Snapshot& fork) {
  const auto* claim = fork.objects().find<api::ResourceClaim>(gone.meta.namespace_, name);
  if (!claim) return;
  auto left = std::make_shared<api::ResourceClaim>(*claim);
  const auto is_gone = [&gone](const api::ClaimConsumer& consumer) { return consumer.uid == gone.meta.uid; };
  if (std::erase_if(left->status.reserved_for, is_gone) == 0) return;
  if (left->status.reserved_for.empty()) {
    left->status.allocation.reset();
    left->status.devices.clear();
  }
  fork.objects().set<api::ResourceClaim>(std::move(left));
}

}  // namespace

void make_device_claims(const api::ClaimTemplates& templates, api::Pod& pod, cluster::Snapshot& fork) {
  api::make_claims_of_templates(templates, pod, [&fork](api::ResourceClaim claim) {
    fork.objects().set<api::ResourceClaim>(std::make_shared<const api::ResourceClaim>(std::move(claim)));
  });
}

void free_devices(const api::Pod& gone, cluster::Snapshot& fork) {
  for (const auto& entry : gone.resource_claims) {
    if (const auto* name = claim_name(gone, entry)) free_claim(gone, *name, fork);
  }
  if (gone.extended_resource_claim) free_claim(gone, gone.extended_resource_claim->claim_name, fork);
}

void hand_claims_on(const api::Pod& gone, const api::Pod& next, cluster::Snapshot& fork) {
  for (const auto& entry : gone.resource_claims) {
    const auto* name = entry.template_name ? claim_name(gone, entry) : nullptr;
    const auto* claim = name ? fork.objects().find<api::ResourceClaim>(gone.meta.namespace_, *name) : nullptr;
    if (!claim) continue;
    auto given = std::make_shared<api::ResourceClaim>(*claim);
    for (auto& owner : given->meta.owners) {
      if (owner.uid == gone.meta.uid) owner.uid = next.meta.uid;
    }
    fork.objects().set<api::ResourceClaim>(std::move(given));
  }
}

void remove_with_devices(const api::Pod& gone, cluster::Snapshot& fork) {
  free_devices(gone, fork);
  fork.remove_pod(gone.meta.uid);
}

}  // namespace podium::explain
