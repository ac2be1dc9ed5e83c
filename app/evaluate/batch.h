// `podium evaluate --batch DIR`: evaluates every scenario directory below DIR (cluster.yaml, pods.yaml and
// perhaps config.yaml, as `oracle generate` writes them) and writes actual.json beside them, in one process;
// with --place its pods are placed, and it is placed.json.
#pragma once

#include <string>

#include "app/evaluate/inputs.h"

namespace podium::evaluate {

// Goes on after a failure, and says which scenarios failed. The answer is the exit code.
int run_batch(const std::string& directory, const Inputs& settings, bool place);

}  // namespace podium::evaluate
