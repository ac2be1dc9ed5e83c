// `podium capacity` without a name: what a namespace could still run, of its own workloads and of pods with
// given requests.
//
// Owner: a command. Threads: the Cluster's. Errors: as Cluster's; Kind::invalid names the flag.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "base/problems.h"

namespace CLI {
class App;
}

namespace podium::kubectl {

struct RequestedPod {
  std::string name;  // as the user wrote it
  boost::json::object pod_template;
};

// Each of `requests` is what a pod asks for: "cpu=500m,memory=1Gi".
std::vector<RequestedPod> requested_pods(const std::vector<std::string>& requests, Problems& problems);

// Asks about these pods or, if there are none, about the namespace's workloads. Returns the exit code.
int ask_namespace(const CLI::App& command, const Output& output, const std::vector<RequestedPod>& pods,
                  const std::string& profile, Cluster& cluster);

}  // namespace podium::kubectl
