// From manifests to decisions: reads and admits the files of `podium evaluate`, builds the snapshot
// and evaluates every pod. evaluate_files() places nothing, so pods do not see each other;
// place_files() places each pod that fits before it evaluates the next.
//
// Threads: thread-safe, except that "-" (standard input) can be read only once.
// Errors: `invalid` for bad input.
#pragma once

#include <string>
#include <vector>

#include "app/evaluate/document.h"
#include "base/result.h"
#include "scheduler/plugins/registry.h"

namespace podium::evaluate {

struct Inputs {
  std::vector<std::string> cluster;  // files; "-" is standard input
  std::vector<std::string> pods;     // files (see asked.h), or namespace/name of pods of the cluster
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

// Places pods in the order of the input. Preemption is not carried out: victims stay, and no
// node is nominated.
Result<Placements> place_files(const Inputs& inputs);

}  // namespace podium::evaluate
