// A snapshot from manifests, as the live scheduler would have built it from its watches.
//
// Threads: any; reads the clock. Errors: none.
#pragma once

#include "api/manifests.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::offline {

// The manifests are admitted (api/admission.h). Leaves out pods without a node, except nominated ones.
cluster::Snapshot to_snapshot(api::Manifests manifests, const cluster::RequestRules& rules);

// Gives claims that are not stored yet the default class, like the admission plugin DefaultStorageClass.
void default_storage_classes(cluster::Snapshot& snapshot);

}  // namespace podium::offline
