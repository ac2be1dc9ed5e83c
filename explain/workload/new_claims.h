// The PersistentVolumeClaims that a what-if adds to its fork, as the cluster would have them when their pod
// is scheduled. No controller runs on a fork.
//
// Sources: the admission plugin DefaultStorageClass; pkg/controller/volume/persistentvolume.
// Threads: pure functions on one fork. Errors: none.
#pragma once

#include <memory>
#include <string>

#include "api/values/objects.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// Adds the claim, with the default StorageClass if it has no class. It is bound to an existing volume as the
// volume controller binds it: to the one that it names or that names it, or, unless its class waits for a
// pod, to the best free one. If is_provisioned_immediately(), it is bound to a new volume: kube-scheduler
// waits for that. The volume is on the nodes of the class's allowedTopologies. Other claims are unbound.
void add_claim(std::shared_ptr<api::PersistentVolumeClaim> claim, cluster::Snapshot& fork);

// Whether a provisioner makes the volume without waiting for a pod (volumeBindingMode Immediate), on nodes of
// its choice. False where the claim is bound to an existing volume instead. `claim` has its class.
bool is_provisioned_immediately(const api::PersistentVolumeClaim& claim, const cluster::Snapshot& fork);

// The phase that the volume controller gives a new volume.
void make_available(api::PersistentVolume& volume);

}  // namespace podium::explain
