// From manifests to decisions: reads and admits what `podium evaluate` is given, makes the snapshot, and
// evaluates every pod against it. Either nothing is placed, so that the pods do not see each other, or each
// pod that fits is placed for those after it.
//
// Errors: `invalid` for whatever is wrong with the files. Threads: may be called from several at once.
#pragma once

#include <string>
#include <vector>

#include "app/evaluate/document.h"
#include "base/result.h"
#include "scheduler/plugins/registry.h"

namespace podium::evaluate {

struct Inputs {
  std::vector<std::string> cluster;  // files; "-" is standard input
  std::vector<std::string> pods;     // files, or namespace/name of unscheduled pods of the cluster
  std::string config;                // a file; empty: the defaults
  bool allow_unknown_fields = false;
  bool preemption_candidates = false;
  std::vector<std::string> feature_gates;  // one --feature-gates each
  plugins::Registry plugins{};             // with the program's own
};

struct Evaluation {
  cluster::Snapshot snapshot;
  std::vector<PodResult> results;
  std::vector<std::string> warnings;
};

Result<Evaluation> evaluate_files(const Inputs& inputs);

struct Placements {
  std::vector<PlacedPod> pods;
  std::vector<std::string> warnings;
};

// In the order of the input. What a pod's preemption would evict stays, and its node is not kept for it.
Result<Placements> place_files(const Inputs& inputs);

}  // namespace podium::evaluate
