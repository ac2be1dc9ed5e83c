// The order in which the pods of several new workloads are asked about.
//
// The queue has them all, and takes those of higher priority first. A pod that requires others by its
// affinity waits for them: kube-scheduler tries it again after they are placed.
// Threads: a pure function. Errors: none.
#pragma once

#include <cstddef>
#include <vector>

#include "api/values/pod.h"

namespace podium::explain {

// Indexes of the pods, by priority, and pods of one priority in the given order. But each comes after those
// of its namespace that its required affinity selects, unless these require it as well.
std::vector<std::size_t> placing_order(const std::vector<api::Pod>& pods);

}  // namespace podium::explain
