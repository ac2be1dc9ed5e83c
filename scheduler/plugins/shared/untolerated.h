// Untolerated: the taints for which TaintToleration rejected nodes.
//
// As in kube-scheduler, its reason does not name them. Reports read them from the same columns.
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/framework/decision.h"

namespace podium::plugins {

// The taints of all nodes that the plugin rejected, each once, as kubectl writes them: "gpu=a100:NoSchedule".
// The most frequent first, then by text.
std::vector<std::string> untolerated_taints(const cluster::PodInfo& pod, const framework::Decision& decision,
                                            const cluster::Snapshot& snapshot);

// Counts the nodes that the plugin rejected and on which `is_wanted` holds for each untolerated taint.
std::size_t nodes_kept_away_only_by(bool (*is_wanted)(const api::Taint&), const cluster::PodInfo& pod,
                                    const framework::Decision& decision, const cluster::Snapshot& snapshot);

// The taints of one node, in its order.
std::vector<std::string> untolerated_taints(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                            cluster::Row row);

}  // namespace podium::plugins
