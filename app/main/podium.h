// podium as a library: its command line with additional plugins. The header for programs
// outside this repository.
//
//   #include <podium.h>
//
//   int main(int argc, char** argv) {
//     podium::plugins::Registry plugins;
//     plugins.add("ZoneBudget", make_zone_budget);
//     return podium::app::main(argc, argv, plugins);
//   }
//
// docs/plugins.md explains the contract; examples/zone-budget is a complete repository.
#pragma once

#include "scheduler/cluster/pod_requests.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/registry.h"

namespace podium::app {

// Runs the command line (docs/kubectl.md, docs/flags.md). Returns the exit code: 0 done, 1 failed while
// running, 2 invalid input; for an answer 3 fits partly, 4 does not fit.
int main(int argc, char** argv, const plugins::Registry& plugins = {});

}  // namespace podium::app
