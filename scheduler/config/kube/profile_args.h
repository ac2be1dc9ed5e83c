// `profiles[].pluginConfig`: decodes, defaults and validates plugin arguments.
//
// Source: k8s.io/kube-scheduler/config/v1 PluginConfig.decodeNestedObjects, validation.validatePluginConfig.
// Threads: pure functions.
#pragma once

#include <boost/json/array.hpp>
#include <set>
#include <string>

#include "scheduler/config/kube/profiles.h"
#include "scheduler/config/schema/file_problems.h"

namespace podium::config {

// The arguments of every enabled plugin that takes any, defaulted if the file has none. `enabled` has the
// names of the plugins that any extension point of the profile enables. `list` is the value of pluginConfig
// in the form of its schema, and `path` is its path. Arguments of out-of-tree plugins may be any object; they
// are included unchanged, and only if the file has them.
PluginArgs read_plugin_args(const boost::json::array& list, const std::set<std::string>& enabled,
                            const framework::Features& features, const plugins::Registry& registry,
                            const std::string& path, Problems& problems);
// Prints arguments as a pluginConfig list, sorted by name.
boost::json::array print_plugin_args(const PluginArgs&);

}  // namespace podium::config
