// Groups of pods that are of use only together (api/values/pod_group.h), among the pods that wait.
//
// The scheduler places their pods one by one (docs/decisions/0025-gangs.md). A question about nodes keeps
// them together: it asks for no node for a group that would stay too small.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "api/values/pod_group.h"
#include "explain/answer/waiting.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

struct PodGroup {
  api::PodGroupName name;
  std::vector<std::size_t> members = {};  // indexes of the waiters
  std::size_t running = 0;                // pods that have a node
  std::optional<std::size_t> minimum = {};
  std::size_t placed(const Places& places) const;
  // Pods that must be placed. Without a minimum: all that wait.
  std::size_t needed() const;
  bool is_short(const Places& places) const { return placed(places) < needed(); }
};

// The groups of the waiters, in the order of their first pods.
using PodGroups = std::vector<PodGroup>;
PodGroups pod_groups(const Waiters& waiters, const api::PodGroupMinimums& minimums,
                     const cluster::Snapshot& fork);

// How many more pods of this one's group have to be placed, itself included, until the group has its minimum.
// 0: no more, or the minimum is not known.
std::size_t needed_of_group(const api::Pod& pod, const api::PodGroupMinimums& minimums,
                            const cluster::Snapshot& fork);

// Moves the pods of each group behind its first one.
void gather_groups(Waiters& waiters);

bool are_whole(const PodGroups& groups, const Places& places);

}  // namespace podium::explain
