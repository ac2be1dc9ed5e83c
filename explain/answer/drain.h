// Drains nodes of a what-if's fork, or lets them vanish: places their pods again, with the same code as the
// question's own pods.
//
// Counts pods of all namespaces and names those that the asker may see.
//
// Threads: pure functions on one fork. Errors: none; a pod without a new place is data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/answer/changes.h"
#include "explain/answer/waiting.h"
#include "explain/report/what_if_parts.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"
#include "scheduler/framework/plugin.h"

namespace podium::explain {

// The most pods that the drains of a question name, and their bytes. They bound the size of an answer. An
// answer with the pods of several namespaces is not stored.
inline constexpr std::size_t kMostDrainedPods = 64, kMostDrainedBytes = 6 * 1024;
inline constexpr std::size_t kMostPodsOfSeveral = 256, kMostBytesOfSeveral = 24 * 1024;

// Where the pod goes that a controller creates for an evicted one.
struct Moved {
  DrainedPod entry;                // an empty node: it has no place
  cluster::PodInfoPtr next;        // the new pod
  std::optional<cluster::Row> to;  // its node
  // Without a place: the pods that it would preempt, with a profile that preempts.
  std::optional<framework::Preemption> preemption = {};
};
// Places the pod that a controller creates for an evicted one, which has left the fork. `drained`: the
// cordoned nodes that are left out of the reason why it has no place.
Moved move_pod(const cluster::PodInfo& pod, const framework::Profile& profile, std::size_t drained,
               cluster::Snapshot& fork);

// The order in which evicted pods are placed again: by priority, then by namespace and name. It does not
// depend on when the pods were placed, because a dump does not have that time.
void sort_for_placing(std::vector<cluster::PodInfoPtr>& evicted);

// The nodes are cordoned already. Pods of DaemonSets and static pods stay. Places the pods that wait first,
// then the evicted ones again by priority, behind those that wait; those without a controller are lost. Fills
// in all fields of `done` except its type and node. Pods without a place wait in the line, as their
// controllers create them.
void drain(const std::vector<cluster::Row>& rows, const ChangeContext& context, ChangeResult& done,
           cluster::Snapshot& fork);

// The nodes vanish at the same time, with all their pods and without asking a budget. As drain(), but pods of
// DaemonSets and static pods go with their nodes.
void lose(const std::vector<cluster::Row>& rows, const ChangeContext& context, ChangeResult& done,
          cluster::Snapshot& fork);

// Adds the pods that waited and got a node since the last change: those of the asker by name.
void add_waiting_placed(const ChangeContext& context, ChangeResult& done, cluster::Snapshot& fork);

// The sum of the free amounts on all nodes that are not cordoned.
std::vector<SpareAmount> spare_of(const cluster::Snapshot& fork);

// Names as many pods as the bounds allow, those without a new place first. The totals stay.
void cut_drained_pods(const Namespaces& seen_namespaces, std::vector<ChangeResult>& changes);

}  // namespace podium::explain
