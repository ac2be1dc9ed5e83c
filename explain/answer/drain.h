// Drains a node of a what-if's fork: its pods are evicted and placed again, with the placement code of the
// question's own.
//
// Pods of other namespaces are counted and never named: the author may not be allowed to see them.
//
// Threads: pure functions on one fork. Errors: none; a pod without a new place is data.
#pragma once

#include <string>
#include <vector>

#include "explain/answer/changes.h"
#include "explain/report/answer.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/config.h"

namespace podium::explain {

// Named pods of all drains of a question, and their bytes: an answer stays small.
inline constexpr std::size_t kMostDrainedPods = 64, kMostDrainedBytes = 6 * 1024;

bool is_of_daemon_set(const api::Pod& pod);

// The order in which evicted pods are placed again: by priority, then by namespace and name. It does not
// depend on when they came to the node, which a dump does not know.
void sort_for_placing(std::vector<cluster::PodInfoPtr>& evicted);

// The nodes are cordoned already. DaemonSets' and static pods stay. The others are placed again by priority;
// those without a controller are gone. Fills in all of `done` but its type and node. Returns the pods that
// have no place, as their controllers create them.
std::vector<cluster::PodInfoPtr> drain(const std::vector<cluster::Row>& rows, const std::string& ns,
                                       const config::Config& config, const Budget& budget, ChangeResult& done,
                                       cluster::Snapshot& fork);

// Places those of the pods that have a place now.
void place_waiting(const std::vector<cluster::PodInfoPtr>& waiting, const config::Config& config,
                   const Budget& budget, cluster::Snapshot& fork);

// The free amounts of all nodes that are not cordoned, together.
std::vector<SpareAmount> spare_of(const cluster::Snapshot& fork);

// Names as many pods as the bounds allow, those without a new place first. The totals stay.
void cut_drained_pods(std::vector<ChangeResult>& changes);

}  // namespace podium::explain
