// Checks: what each filter says of the nodes that a what-if names, and what the pod requests beside what is
// free there.
//
// Owner: one answer. Threads: none. Errors: none; a node that is not in the fork gets no checks.
#pragma once

#include <string>
#include <vector>

#include "explain/report/answer.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/profile.h"

namespace podium::explain {

inline constexpr std::size_t kMostChecked = 4;  // nodes: an answer stays small

class Checks {
 public:
  // Keeps references to all arguments. Prepares each filter of the profile by itself, so that one that
  // rejects the pod hides no other.
  Checks(const cluster::PodInfo& pod, const cluster::Snapshot& fork, const framework::Profile& profile);

  // Sets `checks` and `resources`. Filters that do not concern the pod are left out.
  void add_to(NodeVerdict& verdict) const;

 private:
  struct Prepared {
    std::string plugin;
    framework::PreparedFilter filter;
  };
  const cluster::PodInfo& pod_;
  const cluster::Snapshot& fork_;
  std::vector<Prepared> filters_;
};

}  // namespace podium::explain
