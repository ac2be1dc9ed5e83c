// `extenders`: from their defaulted and validated form to values, and what they change in the profiles.
//
// Source: pkg/scheduler/scheduler.go buildExtenders, pkg/scheduler/extender.go NewHTTPExtender.
// Threads: pure functions; they expect values that were read by their schema.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "scheduler/config/config.h"
#include "scheduler/config/findings.h"
#include "scheduler/config/profiles.h"

namespace podium::config {

// Sets what a timeout of zero stands for in `extenders` too, which is what is printed.
std::vector<Extender> read_extenders(boost::json::array& extenders);

// The managed resources that NodeResourcesFit is not to count. They take the place of its own
// ignoredResources.
boost::json::array ignored_resources(const boost::json::array& extenders);
void ignore_resources(const boost::json::array& ignored, PluginArgs& args, const std::string& path,
                      Findings& findings);

}  // namespace podium::config
