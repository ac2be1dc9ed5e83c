// `podium compare --weights`: what other weights of the scheduler's strategies would do.
//
// Threads: main's. Errors: on standard error.
#pragma once

#include <string>
#include <vector>

#include "app/kubectl/connection_flags.h"

namespace CLI {
class App;
}

namespace podium::kubectl {

// Returns the exit code. `weights`: STRATEGY=WEIGHT[,…].
int run_compare_weights(const CLI::App& command, const Shared& shared,
                        const std::vector<std::string>& weights);

}  // namespace podium::kubectl
