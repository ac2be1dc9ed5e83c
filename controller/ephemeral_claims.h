// The claims of generic ephemeral volumes, as they would be made for a pod that is only asked about: for its
// pods nobody makes any.
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
  std::string volume;               // its name in the pod
  api::PersistentVolumeClaim made;  // from volumeClaimTemplate, without a name
};

// Of a Pod or a PodTemplateSpec.
Result<std::vector<EphemeralClaim>> read_ephemeral_claims(const boost::json::value& pod);

// Puts those into the snapshot that are not there: unbound, owned by the pod, of the default StorageClass
// where they name none. One of the same name that is there stays, whoever's it is.
void make_claims(const std::vector<EphemeralClaim>& claims, const api::Pod& pod, cluster::Snapshot& fork);

}  // namespace podium::controller
