// PodDisruptionBudgets of manifests, which no controller has seen yet.
//
// Threads: pure functions. Errors: none.
#pragma once

#include "api/decode/manifests.h"
#include "app/offline/by_kind.h"

namespace podium::offline {

// Gives each budget without a status the one that the disruption controller would write, in both. The pods of
// a controller that `objects` lack count as its replicas.
void count_disruptions(ByKind& objects, api::Manifests& cluster);

}  // namespace podium::offline
