// The claims of generic ephemeral volumes. No controller creates them for the pod of a what-if, so
// the what-if creates them on its fork of the snapshot.
//
// Sources: pkg/controller/volume/ephemeral and the admission plugin DefaultStorageClass.
// Threads: pure functions. Errors: Error.message is "path: reason".
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/values/objects.h"
#include "base/result.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

struct EphemeralClaim {
  std::string volume;                // name of the volume in the pod
  api::PersistentVolumeClaim claim;  // from volumeClaimTemplate, without a name
};

// The StorageClass that admission sets on claims without a class: the newest default class; on a tie, the
// first by name. nullopt: there is no default class.
std::optional<std::string> default_storage_class(const cluster::Snapshot& snapshot);

// Reads the claims of a Pod's or a PodTemplateSpec's JSON, in the order of its volumes.
Result<std::vector<EphemeralClaim>> read_ephemeral_claims(const boost::json::value& pod);

// Creates the missing claims in the fork with add_claim(), owned by the pod. Does not change an existing
// claim of the same name, even with another owner.
void make_claims(const std::vector<EphemeralClaim>& claims, const api::Pod& pod, cluster::Snapshot& fork);

}  // namespace podium::explain
