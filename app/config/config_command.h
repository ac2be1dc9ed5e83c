// `podium config validate|view FILE`: a configuration is checked, defaulted and printed without a cluster.
//
// Both return the exit code: 0 done, 2 the file is wrong. Findings and warnings go to `err`.
#pragma once

#include <iosfwd>
#include <string>

namespace podium::app {

int config_validate(const std::string& file, std::ostream& out, std::ostream& err);
// The KubeSchedulerConfiguration as kube-scheduler's --write-config-to prints it, and the PodiumConfiguration as a second
// document: what is printed can be used as the file.
int config_view(const std::string& file, std::ostream& out, std::ostream& err);

}  // namespace podium::app
