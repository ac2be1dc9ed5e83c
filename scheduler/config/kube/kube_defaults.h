// Sets upstream's defaults in a KubeSchedulerConfiguration and in plugin arguments.
//
// Source: pkg/scheduler/apis/config/v1/defaults.go.
// Threads: pure functions. Values must have the form of their schema (schema/kube_schema.h).
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>

#include "scheduler/framework/features.h"

namespace podium::config {

void set_defaults(boost::json::object& config);
void set_args_defaults(std::string_view plugin, boost::json::object& args,
                       const framework::Features& features);

}  // namespace podium::config
