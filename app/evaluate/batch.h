// `podium evaluate --batch DIR`: evaluates every scenario directory below DIR (cluster.yaml,
// pods.yaml and an optional config.yaml, as `oracle generate` writes them) in one process. Writes
// actual.json into each, or with --place placed.json. Uses one thread per CPU.
#pragma once

#include <string>

#include "app/evaluate/inputs.h"

namespace podium::evaluate {

// Continues after a failed scenario and prints its error. Returns the exit code: 0 done, 1 a scenario
// failed, 2 no scenarios.
int run_batch(const std::string& directory, const Inputs& settings, bool place);

}  // namespace podium::evaluate
