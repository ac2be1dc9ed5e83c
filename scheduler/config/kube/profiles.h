// Profiles: turns plugin sets and arguments into a framework::Profile that evaluate() can run.
//
// multiPoint is expanded to the extension points that each plugin implements. The order at an extension
// point is upstream's:
//   1. plugins in both its own list and multiPoint, in the order of its own list
//   2. the other plugins of multiPoint
//   3. the plugins only in its own list
// A weight in `score` takes precedence over one in `multiPoint`; 0 counts as 1.
// Source: pkg/scheduler/framework/runtime/framework.go (NewFramework, expandMultiPointPlugins,
// getValidScoreWeights).
// Threads: pure functions.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "scheduler/config/kube/plugin_sets.h"
#include "scheduler/config/schema/file_problems.h"
#include "scheduler/framework/profile.h"
#include "scheduler/plugins/registry.h"

namespace podium::config {

struct GivenArgs {
  boost::json::object value;
  std::string path;  // of the arguments in the file; empty for the defaults
};
using PluginArgs = std::map<std::string, GivenArgs, std::less<>>;  // by plugin name

// `path` is the path of the profile ("profiles[0]"). Errors are added to `problems`; do not use
// the profile then.
framework::ProfilePtr resolve_profile(std::string_view scheduler_name, const PluginSets& plugins,
                                      const PluginArgs& args, const std::string& path, Problems& problems,
                                      const framework::Features& features = {},
                                      const plugins::Registry& registry = {});

}  // namespace podium::config
