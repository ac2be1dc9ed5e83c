// The order in which the pods of several new workloads are asked about.
//
// A pod that requires others by its affinity waits for them. kube-scheduler tries it again after they are
// placed, so the order in which a file has them does not matter.
// Threads: a pure function. Errors: none.
#pragma once

#include <cstddef>
#include <vector>

#include "api/values/pod.h"

namespace podium::explain {

// Indexes of the pods: each comes after those of its namespace that its required affinity selects. Otherwise
// the order is the given one. Two that require each other stay in it.
std::vector<std::size_t> placing_order(const std::vector<api::Pod>& pods);

}  // namespace podium::explain
