// From manifests to decisions: admits the objects in the files of `podium evaluate`, builds the snapshot and
// evaluates every pod. evaluate_files() places nothing, so pods do not see each other; place_files() places
// each pod that fits before it evaluates the next.
//
// Threads and errors: those of read_inputs().
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/evaluate/document.h"
#include "app/evaluate/inputs.h"
#include "base/result.h"

namespace podium::evaluate {

struct ManifestDecisions {
  cluster::Snapshot snapshot;
  std::vector<PodResult> results;
  std::vector<std::string> warnings;
};

Result<ManifestDecisions> evaluate_files(const Inputs& inputs);
// The same, with one result at a time: memory does not grow with their number. `begin` gets the warnings
// before the first result.
using TakeResult = std::function<void(const PodResult&, const cluster::Snapshot&)>;
Result<void> evaluate_each(const Inputs& inputs,
                           const std::function<void(const std::vector<std::string>&)>& begin,
                           const TakeResult& take);

struct Placements {
  std::vector<PlacedPod> pods;
  std::vector<std::string> warnings;
};

// Places pods in the order of the input. Does not preempt: victims stay, and no node is nominated.
Result<Placements> place_files(const Inputs& inputs);

}  // namespace podium::evaluate
