// The output of `podium evaluate -o table` and `-o wide`: for each pod what `podium why` prints.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "app/evaluate/document.h"
#include "app/render/why.h"

namespace podium::evaluate {

// With --place: the node of each pod, then the number of unplaced pods per reason.
std::string to_table(const std::vector<PlacedPod>& pods);
std::string to_table(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot,
                     const render::Options& options);

// The decision as a report, for render::why().
explain::Report report_of(const PodResult& result, const cluster::Snapshot& snapshot);

}  // namespace podium::evaluate
