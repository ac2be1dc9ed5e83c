// `extenders`: converts the defaulted JSON to values, and applies ignored resources to the profiles.
//
// Source: pkg/scheduler/scheduler.go buildExtenders, pkg/scheduler/extender.go NewHTTPExtender.
// Threads: pure functions. Values must have the form of their schema (schema/kube_schema.h).
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "scheduler/config/kube/profiles.h"
#include "scheduler/config/schema/file_problems.h"
#include "scheduler/config/values/config.h"

namespace podium::config {

// Also replaces a timeout of zero by the default in `extenders`, for the printed view.
std::vector<Extender> read_extenders(boost::json::array& extenders);

// The managed resources that NodeResourcesFit must ignore. ignore_resources() replaces the plugin's
// ignoredResources by them.
boost::json::array ignored_resources(const boost::json::array& extenders);
void ignore_resources(const boost::json::array& ignored, PluginArgs& args, const std::string& path,
                      Problems& problems);

}  // namespace podium::config
