// Untolerated: the taints for which TaintToleration rejected nodes.
//
// Its reason names none, as kube-scheduler's. For reports, they are read from the same columns.
// Threads: pure functions. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/decision.h"

namespace podium::plugins {

inline constexpr std::string_view kTaintPlugin = "TaintToleration";

// Those of all nodes that the plugin rejected, each once, as kubectl writes taints: "gpu=a100:NoSchedule".
// Those of most nodes first, then by their text.
std::vector<std::string> untolerated_taints(const cluster::PodInfo& pod, const framework::Decision& decision,
                                            const cluster::Snapshot& snapshot);

// Those of one node, in its order.
std::vector<std::string> untolerated_taints(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                            cluster::Row row);

}  // namespace podium::plugins
