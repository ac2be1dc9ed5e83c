// What `podium evaluate -o table` prints for people: for each pod the best nodes with a column for each
// strategy, then why the other nodes were turned down.
//
// Threads: a pure function.
#pragma once

#include <string>
#include <vector>

#include "app/evaluate/document.h"

namespace podium::evaluate {

// Where each pod went, and how many did not fit for each reason.
std::string to_table(const std::vector<PlacedPod>& pods);
std::string to_table(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot);

}  // namespace podium::evaluate
