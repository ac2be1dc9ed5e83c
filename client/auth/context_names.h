// ContextNames: how people call the cluster and the user of a kubeconfig.
//
// Threads: loading does file I/O. Errors: none; find_config() reports what is wrong with the files.
#pragma once

#include <string>
#include <vector>

#include "client/auth/client_config.h"

namespace podium::client {

// Empty: the files do not say.
struct ContextNames {
  std::string context, user, ns;
};
ContextNames names_in(const std::vector<std::string>& paths, const ConfigFlags& flags);
// Searches in the order of find_config(). In a cluster there are no names.
ContextNames find_names(const std::string& kubeconfig_flag, const ConfigFlags& flags);

}  // namespace podium::client
