// The schemas of KubeSchedulerConfiguration v1 and of the plugin arguments.
//
// Source: k8s.io/kube-scheduler/config/v1 types.go and types_pluginargs.go. Threads: static, immutable.
#pragma once

#include <string>
#include <string_view>

#include "scheduler/config/schema/schema.h"

namespace podium::config {

inline constexpr std::string_view kKubeApiVersion = "kubescheduler.config.k8s.io/v1";
inline constexpr std::string_view kKubeKind = "KubeSchedulerConfiguration";

// The error about a document of an unknown version.
std::string not_registered(std::string_view kind, std::string_view version);

const Schema& kube_schema();
// The schema of a plugin's arguments ("NodeResourcesFit": NodeResourcesFitArgs); null: it takes none.
const Schema* args_schema(std::string_view plugin);

}  // namespace podium::config
