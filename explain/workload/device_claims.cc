#include "explain/workload/device_claims.h"

#include <fmt/format.h>

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

void set_without_allocation(api::ResourceClaim& claim) {
  claim.status.allocation.reset();
  claim.status.devices.clear();
}

void free_claim(const api::Pod& gone, const std::string& name, cluster::Snapshot& fork) {
  const auto* claim = fork.objects().find<api::ResourceClaim>(gone.meta.namespace_, name);
  if (!claim) return;
  const auto is_gone = [&gone](const api::ClaimConsumer& consumer) { return consumer.uid == gone.meta.uid; };
  // A pod may name one claim thousands of times.
  if (std::ranges::none_of(claim->status.reserved_for, is_gone)) return;
  auto left = std::make_shared<api::ResourceClaim>(*claim);
  std::erase_if(left->status.reserved_for, is_gone);
  if (left->status.reserved_for.empty()) set_without_allocation(*left);
  fork.objects().assume<api::ResourceClaim>(std::move(left));
}

bool is_reserved(const api::ResourceClaim& claim, const api::Pod& pod) {
  const auto& users = claim.status.reserved_for;
  return std::ranges::find(users, pod.meta.uid, &api::ClaimConsumer::uid) != users.end();
}

// Reserves the claim for the pod, as PreBind writes it.
void reserve_claim(const api::Pod& pod, const std::string& name, cluster::Snapshot& fork) {
  auto& objects = fork.objects();
  const auto* claim = objects.find<api::ResourceClaim>(pod.meta.namespace_, name);
  if (!claim) return;
  const auto flight = objects.claims_in_flight().find(claim->meta.uid);
  const bool is_in_flight = flight != objects.claims_in_flight().end();
  const auto& known = is_in_flight ? *flight->second.claim : *claim;
  if (is_reserved(known, pod)) return;
  auto changed = std::make_shared<api::ResourceClaim>(known);
  changed->status.reserved_for.push_back(
      {.api_group = "", .resource = "pods", .name = pod.meta.name, .uid = pod.meta.uid});
  if (is_in_flight) objects.end_flight(claim->meta.uid, cluster::Objects::FlightEnd::for_all);
  objects.assume<api::ResourceClaim>(std::move(changed));
}

// Whether the scheduler may take the claim's allocation back when the pod does not fit.
bool may_be_freed(const api::Pod& pod, const api::PodResourceClaim& entry, const cluster::Snapshot& fork) {
  const auto* name = claim_name(pod, entry);
  const auto* claim = name ? fork.objects().find<api::ResourceClaim>(pod.meta.namespace_, *name) : nullptr;
  if (!claim || !claim->status.allocation) return false;
  const auto& users = claim->status.reserved_for;
  return users.empty() || (users.size() == 1 && users.front().uid == pod.meta.uid);
}

// Does what the PostFilter plugin DynamicResources asks for. False: it asks for nothing.
bool free_as_decided(const framework::Decision& decision, cluster::Snapshot& fork) {
  if (decision.choice || !decision.write || decision.write->resource != "resourceclaims") return false;
  const auto& write = *decision.write;
  const auto* claim = fork.objects().find<api::ResourceClaim>(write.namespace_, write.name);
  if (!claim) return false;
  if (write.verb == framework::ObjectWrite::Verb::remove) {
    fork.objects().remove<api::ResourceClaim>(write.namespace_, write.name);
    return true;
  }
  auto freed = std::make_shared<api::ResourceClaim>(*claim);
  freed->status.reserved_for.clear();
  set_without_allocation(*freed);
  fork.objects().assume<api::ResourceClaim>(std::move(freed));
  return true;
}

}  // namespace

framework::Decision decide_in_attempts(const cluster::PodInfo& pod, const framework::Profile& profile,
                                       const std::function<bool()>& has_time, std::size_t start,
                                       cluster::Snapshot& fork) {
  auto decision = framework::evaluate(pod, fork, profile, start);
  while (free_as_decided(decision, fork)) {
    if (has_time && !has_time()) break;
    decision = framework::evaluate(pod, fork, profile, decision.next_start);
  }
  return decision;
}

bool has_claim_to_free(const api::Pod& pod, const cluster::Snapshot& fork) {
  return std::ranges::any_of(pod.resource_claims, [&](const api::PodResourceClaim& entry) {
    return may_be_freed(pod, entry, fork);
  });
}

std::optional<std::string> words_of_full_claim(const api::Pod& pod, const cluster::Snapshot& fork) {
  for (const auto& entry : pod.resource_claims) {
    const auto* name = claim_name(pod, entry);
    const auto* claim = name ? fork.objects().find<api::ResourceClaim>(pod.meta.namespace_, *name) : nullptr;
    if (claim && claim->status.reserved_for.size() >= kMostUsers && !is_reserved(*claim, pod))
      return fmt::format("ResourceClaim {} already has {} users, the most that the API server allows", *name,
                         kMostUsers);
  }
  return std::nullopt;
}

void make_device_claims(const api::ClaimTemplates& templates, api::Pod& pod, cluster::Snapshot& fork) {
  api::make_claims_of_templates(templates, pod, [&fork](api::ResourceClaim claim) {
    fork.objects().set<api::ResourceClaim>(std::make_shared<const api::ResourceClaim>(std::move(claim)));
  });
}

std::optional<std::string> place_with_devices(const cluster::PodInfoPtr& pod, cluster::Row row,
                                              const framework::Profile& profile, cluster::Snapshot& fork) {
  if (auto full = words_of_full_claim(*pod->pod, fork)) return full;
  if (const auto failure = framework::place(pod, row, profile, fork)) return failure->message("Reserve");
  for (const auto& entry : pod->pod->resource_claims) {
    if (const auto* name = claim_name(*pod->pod, entry)) reserve_claim(*pod->pod, *name, fork);
  }
  return std::nullopt;
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
    given->meta.owners.change_each([&](api::OwnerReference& owner) {
      if (owner.uid == gone.meta.uid) owner.uid = next.meta.uid;
    });
    fork.objects().assume<api::ResourceClaim>(std::move(given));
  }
}

void remove_with_devices(const api::Pod& gone, cluster::Snapshot& fork) {
  free_devices(gone, fork);
  fork.remove_pod(gone.meta.uid);
}

}  // namespace podium::explain
