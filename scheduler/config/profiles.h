// Profiles: from plugin sets and arguments to a framework::Profile that evaluate() can run.
//
// MultiPoint is expanded to the extension points that each plugin implements, in upstream's order: at an
// extension point come first those of the multiPoint list that it names itself, in its own order, then the
// rest of the multiPoint list, then what only it names. Weights come from `score` before `multiPoint`; zero
// counts as 1.
// Source: pkg/scheduler/framework/runtime/framework.go (NewFramework, expandMultiPointPlugins, getValidScoreWeights).
// Threads: pure functions.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "scheduler/config/findings.h"
#include "scheduler/config/plugin_sets.h"
#include "scheduler/framework/profile.h"
#include "scheduler/plugins/registry.h"

namespace podium::config {

struct GivenArgs {
  boost::json::object value;
  std::string path;  // where the file has them; empty for the defaults
};
using PluginArgs = std::map<std::string, GivenArgs, std::less<>>;  // by plugin name

// `path` is the profile's ("profiles[0]"). What does not resolve is a finding, and the profile is then not to
// be used.
framework::ProfilePtr resolve_profile(std::string_view scheduler_name, const PluginSets& plugins,
                                      const PluginArgs& args, const std::string& path, Findings& findings,
                                      const framework::Features& features = {},
                                      const plugins::Registry& registry = {});

}  // namespace podium::config
