// The node that a DaemonSet's controller has chosen for a pod.
//
// Threads: a pure function. Errors: none. Source: pkg/controller/daemon/util
// (ReplaceDaemonSetPodNodeNameNodeAffinity).
#pragma once

#include <string_view>

#include "api/values/pod.h"

namespace podium::explain {

// The node that the pod's required affinity names, and nothing else. Empty: none.
std::string_view pinned_node(const api::Pod& pod);
std::string_view pinned_node(api::Pod&&) = delete;  // the text would dangle

}  // namespace podium::explain
