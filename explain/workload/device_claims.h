// The ResourceClaims of a what-if's pods. Neither bindings nor controllers run on a fork, so the what-if does
// their work: it creates claims from templates, reserves claims for pods that are placed, and frees the
// devices of pods that are removed from the fork.
//
// Source: pkg/controller/resourceclaim; PreBind of plugins/dynamicresources. Threads: pure functions on one
// fork. Errors: none.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "api/admission/claim_template.h"
#include "api/values/pod.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/placement.h"

namespace podium::explain {

// Creates the pod's missing claims on the fork, and names them in the pod's status.
void make_device_claims(const api::ClaimTemplates& templates, api::Pod& pod, cluster::Snapshot& fork);

// framework::place(), and what follows until the pod is bound: its claims are allocated and reserved for it.
// In flight, they would keep other pods from sharing them. The claim of extended resources is not shared.
// Returns why the pod was not placed: the failure of a Reserve plugin, or of the binding, since the API
// server refuses more than kMostUsers users of a claim.
inline constexpr std::size_t kMostUsers = 256;  // ResourceClaimReservedForMaxSize of k8s.io/api/resource/v1
std::optional<std::string> place_with_devices(const cluster::PodInfoPtr& pod, cluster::Row row,
                                              const framework::Profile& profile, cluster::Snapshot& fork);

// The decision as the scheduler's attempts make it. If the pod fits nowhere, a PostFilter plugin may take
// back the allocation of a claim that no other pod uses; then the claim is free on the fork, and the pod is
// tried again. `has_time`: may be empty.
framework::Decision decide_in_attempts(const cluster::PodInfo& pod, const framework::Profile& profile,
                                       const std::function<bool()>& has_time, std::size_t start,
                                       cluster::Snapshot& fork);
// Whether the pod has an allocated claim that no other pod uses.
bool has_claim_to_free(const api::Pod& pod, const cluster::Snapshot& fork);

// Why the API server refuses the pod as another user of a claim; nullopt: it does not.
std::optional<std::string> words_of_full_claim(const api::Pod& pod, const cluster::Snapshot& fork);

// Removes the pod from the reservations of its claims. A claim without reservations loses its devices.
void free_devices(const api::Pod& gone, cluster::Snapshot& fork);

// Removes a pod, and frees its devices.
void remove_with_devices(const api::Pod& gone, cluster::Snapshot& fork);

// Transfers the free claims that were created from the pod's templates to the pod that replaces it.
void hand_claims_on(const api::Pod& gone, const api::Pod& next, cluster::Snapshot& fork);

}  // namespace podium::explain
