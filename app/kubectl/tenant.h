// `podium capacity` without a name: what could a namespace still run, of its own workloads and of pods with
// given requests?
//
// Owner: a command. Threads: the Cluster's. Errors: as Cluster's; Kind::invalid names the flag.
#pragma once

#include <string>
#include <vector>

#include "app/kubectl/cluster.h"

namespace CLI {
class App;
}

namespace podium::kubectl {

// Each of `requests` is what a pod asks for: "cpu=500m,memory=1Gi". Returns the exit code.
int run_tenant(const CLI::App& command, const Output& output, const std::vector<std::string>& requests,
               const std::string& profile, Cluster& cluster);

}  // namespace podium::kubectl
