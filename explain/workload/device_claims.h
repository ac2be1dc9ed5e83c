// The ResourceClaims of a what-if's pods. No controller runs on a fork, so the what-if does the claim
// controller's work: it makes claims of templates, and frees the devices of pods that the fork has no more.
//
// Source: pkg/controller/resourceclaim. Threads: pure functions on one fork. Errors: none.
#pragma once

#include "api/claim_template.h"
#include "api/pod.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// Makes the pod's missing claims on the fork, and names them in the pod's status.
void make_device_claims(const api::ClaimTemplates& templates, api::Pod& pod, cluster::Snapshot& fork);

// Takes the pod from those for which its claims are reserved. A claim that is reserved for nobody else has no
// devices any more.
void free_devices(const api::Pod& gone, cluster::Snapshot& fork);

// Removes a pod, and frees its devices.
void remove_with_devices(const api::Pod& gone, cluster::Snapshot& fork);

// Gives the claims that were made of the pod's templates, which are free, to the pod that takes its place.
void hand_claims_on(const api::Pod& gone, const api::Pod& next, cluster::Snapshot& fork);

}  // namespace podium::explain
