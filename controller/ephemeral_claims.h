// The claims of generic ephemeral volumes. For a pod that exists only in a what-if no controller creates them,
// so that the what-if does it on its fork.
//
// Sources: pkg/controller/volume/ephemeral, and the admission plugin DefaultStorageClass.
// Threads: pure functions. Errors: Error.message is "path: reason".
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "api/objects.h"
#include "base/result.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::controller {

struct EphemeralClaim {
  std::string volume;                // its name in the pod
  api::PersistentVolumeClaim claim;  // from volumeClaimTemplate, without a name
};

// Of a Pod or a PodTemplateSpec.
Result<std::vector<EphemeralClaim>> read_ephemeral_claims(const boost::json::value& pod);

// Creates in the snapshot those that are absent: unbound, owned by the pod, of the default StorageClass where
// they name none. A claim of the same name stays, whoever owns it.
void make_claims(const std::vector<EphemeralClaim>& claims, const api::Pod& pod, cluster::Snapshot& fork);

}  // namespace podium::controller
