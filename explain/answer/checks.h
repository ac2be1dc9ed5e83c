// Checks: the verdict of each filter on the nodes that a what-if names, and the pod's requests next to the
// free amounts there.
//
// Owner: one answer. Threads: none. Errors: none; a node that is not in the fork gets no checks.
#pragma once

#include <string>
#include <vector>

#include "explain/report/what_if_parts.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/profile.h"

namespace podium::explain {

inline constexpr std::size_t kMostChecked = 4;  // nodes; bounds the size of an answer

class Checks {
 public:
  // Keeps references to all arguments. Prepares each filter of the profile separately, so that a filter that
  // rejects the pod does not hide the others.
  Checks(const cluster::PodInfo& pod, const cluster::Snapshot& fork, const framework::Profile& profile);

  // Sets `checks` and `resources`. Leaves out filters that do not apply to the pod.
  void add_to(NodeVerdict& verdict) const;

 private:
  struct Prepared {
    std::string plugin;
    framework::PreparedFilter filter;
  };
  std::vector<UnmetOnNode> unmet_on_node(cluster::Row row) const;

  const cluster::PodInfo& pod_;
  const cluster::Snapshot& fork_;
  std::vector<Prepared> filters_;
};

}  // namespace podium::explain
