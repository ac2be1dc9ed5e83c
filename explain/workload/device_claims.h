// The ResourceClaims of a what-if's pods. No controller runs on a fork, so the what-if does the claim
// controller's work: it creates claims from templates, and frees the devices of pods that are removed from
// the fork.
//
// Source: pkg/controller/resourceclaim. Threads: pure functions on one fork. Errors: none.
#pragma once

#include "api/admission/claim_template.h"
#include "api/values/pod.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// Creates the pod's missing claims on the fork, and names them in the pod's status.
void make_device_claims(const api::ClaimTemplates& templates, api::Pod& pod, cluster::Snapshot& fork);

// Removes the pod from the reservations of its claims. A claim without reservations loses its devices.
void free_devices(const api::Pod& gone, cluster::Snapshot& fork);

// Removes a pod, and frees its devices.
void remove_with_devices(const api::Pod& gone, cluster::Snapshot& fork);

// Transfers the free claims that were created from the pod's templates to the pod that replaces it.
void hand_claims_on(const api::Pod& gone, const api::Pod& next, cluster::Snapshot& fork);

}  // namespace podium::explain
