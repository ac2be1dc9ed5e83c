// Recount: compares what a snapshot has counted, event by event, with a count of the API server's objects.
//
// - For each node: what its pods request and how many they are, what it has, its labels, if it is cordoned.
// - For each class of pods (namespace, labels, constraints): how many are on each node, and leave it.
// - For each pod on a node: its labels and its constraints.
//
// Threads: a pure function. Errors: returns the first difference.
#pragma once

#include <optional>
#include <string>

#include "simulate/server/store.h"

namespace podium::cluster {
class Snapshot;
}

namespace podium::simulate {

std::optional<std::string> miscounted(const cluster::Snapshot& snapshot, const Store& store);

}  // namespace podium::simulate
