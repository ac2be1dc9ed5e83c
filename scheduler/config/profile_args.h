// `profiles[].pluginConfig`: the arguments of the plugins, read, defaulted and checked.
//
// Source: k8s.io/kube-scheduler/config/v1 PluginConfig.decodeNestedObjects, validation.validatePluginConfig.
// Threads: pure functions.
#pragma once

#include <boost/json/array.hpp>
#include <set>
#include <string>

#include "scheduler/config/findings.h"
#include "scheduler/config/profiles.h"

namespace podium::config {

// The arguments of every plugin that is enabled anywhere in the profile and takes some, given or not.
// `list` is the value of pluginConfig, read by its schema, and `path` where it stands.
// An out-of-tree plugin's are any object, passed on as it is, and only where they are given.
PluginArgs read_plugin_args(const boost::json::array& list, const std::set<std::string>& enabled,
                            const framework::Features& features, const plugins::Registry& registry,
                            const std::string& path, Findings& findings);
// The same as a pluginConfig list, sorted by name.
boost::json::array print_plugin_args(const PluginArgs&);

}  // namespace podium::config
