// `podium config validate|view FILE`: a configuration is checked, defaulted and printed without a cluster.
//
// Both return the exit code: 0 done, 2 the file is wrong. Findings and warnings go to `err`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "scheduler/plugins/registry.h"

namespace podium::app {

struct ConfigOptions {
  std::string file;
  std::vector<std::string> feature_gates;  // one --feature-gates each
  plugins::Registry plugins{};             // with the program's own
};

int config_validate(const ConfigOptions& options, std::ostream& out, std::ostream& err);
// The KubeSchedulerConfiguration as kube-scheduler's --write-config-to prints it, and the PodiumConfiguration
// as a second document: what is printed can be used as the file.
int config_view(const ConfigOptions& options, std::ostream& out, std::ostream& err);

}  // namespace podium::app
