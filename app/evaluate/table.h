// The output of `podium evaluate -o table`: for each pod the best nodes with one column per scoring
// plugin, then the reasons why other nodes were rejected.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "app/evaluate/document.h"

namespace podium::evaluate {

// With --place: the node of each pod, then the number of unplaced pods per reason.
std::string to_table(const std::vector<PlacedPod>& pods);
std::string to_table(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot);

}  // namespace podium::evaluate
