// Validates a defaulted KubeSchedulerConfiguration, with upstream's error texts.
//
// Source: pkg/scheduler/apis/config/validation, component-base/config/validation,
// client-go tools/leaderelection.
// Threads: pure functions. Values must be defaulted and have the form of their schema (schema/kube_schema.h).
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/config/kube/plugin_sets.h"
#include "scheduler/config/schema/file_problems.h"

namespace podium::config {

// Validates all fields except extenders and the plugins of profiles.
void validate_settings(const boost::json::object& config, Problems&);
void validate_extenders(const boost::json::array& extenders, Problems&);
// Rejects removed plugins, and queue sort plugins that differ between profiles. `profiles` has one merged set
// per profile and must not be empty.
void validate_plugin_sets(const std::vector<PluginSets>& profiles, Problems&);
// PrioritySort takes no args, but args that are given must be equal in all profiles.
void validate_queue_sort_args(const boost::json::array& profiles, Problems&);
void validate_args(std::string_view plugin, const boost::json::object& args,
                   const framework::Features& features, const std::string& path, Problems&);
// True for plugins of earlier releases that v1 rejects.
bool is_removed_plugin(std::string_view name);
std::string removed_plugin_text();

}  // namespace podium::config
