// `podium why` about a workload: how many of its pods run, what blocks the others, and what would help.
//
// Owner: a command. Threads: the Cluster's. Errors: part of the output.
#pragma once

#include "app/kubectl/cluster.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/targets.h"

namespace podium::kubectl {

CommandOutput why_workload(const CLI::App& command, Cluster& cluster, const Target& target,
                           const Output& output, const render::Options& options);

}  // namespace podium::kubectl
