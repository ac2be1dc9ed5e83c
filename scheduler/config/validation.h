// Whether a defaulted KubeSchedulerConfiguration makes sense, in upstream's words.
//
// Source: pkg/scheduler/apis/config/validation, component-base/config/validation, client-go tools/leaderelection.
// Threads: pure functions; they expect values that were read by their schema and defaulted.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/config/findings.h"
#include "scheduler/config/plugin_sets.h"

namespace podium::config {

// Everything but the profiles' plugins.
void validate_settings(const boost::json::object& config, Findings&);
void validate_extenders(const boost::json::array& extenders, Findings&);
// Names that were removed, and queue sort plugins that differ between profiles. One set a profile, merged.
void validate_plugin_sets(const std::vector<PluginSets>& profiles, Findings&);
// The one queue sort plugin takes no args, but whatever is given has to be the same for all profiles.
void validate_queue_sort_args(const boost::json::array& profiles, Findings&);
void validate_args(std::string_view plugin, const boost::json::object& args,
                   const framework::Features& features, const std::string& path, Findings&);
// A plugin of an earlier release that v1 refuses.
bool is_removed_plugin(std::string_view name);
std::string removed_plugin_text();

}  // namespace podium::config
