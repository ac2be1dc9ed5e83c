// `podium config validate|view FILE`: checks, defaults and prints a configuration without a cluster.
//
// Both functions return the exit code: 0 done, 2 invalid file. Errors and warnings go to `err`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "scheduler/plugins/registry.h"

namespace podium::app {

struct ConfigOptions {
  std::string file;
  std::vector<std::string> feature_gates;  // one --feature-gates each
  plugins::Registry plugins{};             // with the program's own plugins
};

int config_validate(const ConfigOptions& options, std::ostream& out, std::ostream& err);
// Prints the KubeSchedulerConfiguration as kube-scheduler's --write-config-to does, and the
// PodiumConfiguration as a second document. The output is a valid configuration file.
int config_view(const ConfigOptions& options, std::ostream& out, std::ostream& err);

}  // namespace podium::app
