// The objects of the changes AddObjects: they are there before the pods of a what-if are admitted, wherever
// they are among its changes.
//
// Source: the API server's defaults (api/values/defaults.h). Threads: pure functions on one fork.
#pragma once

#include <string>
#include <vector>

#include "api/admission/admission.h"
#include "explain/answer/budget.h"
#include "explain/question/change.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

// `kubectl apply` keeps the age of an existing object: the newest default StorageClass counts.
template <typename T>
void keep_age(const T& known, T& applied) {
  if (!applied.meta.created) applied.meta.created = known.meta.created;
}

// Puts them on the fork, and what only admission reads into `objects`. Replaces those of the same name,
// except for kinds whose state they lack (api::keeps_state). `waiting`: the pods without a node. The
// shares of PodDisruptionBudgets count them also; once `budget` has ended, no more of these are added.
void add_objects(const std::vector<Change>& changes, const std::vector<cluster::PodInfoPtr>& waiting,
                 const Budget& budget, cluster::Snapshot& fork, api::AdmissionObjects& objects);

// "3 objects added: PriorityClass high, Service web, …", and which the API server refuses.
std::string added_message(const Change& change, const api::AdmissionObjects& objects);

}  // namespace podium::explain
