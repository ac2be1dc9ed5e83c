// Fixes: the smallest single changes that would let a pod fit, in the cluster or on one node.
//
// Each is tried: the changed pod, or the pod on a changed fork, is decided again. None is claimed that was
// not tried. Pods are counted, never named.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "explain/answer/changes.h"
#include "explain/report/answer.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {

inline constexpr std::size_t kMostFixes = 16;

struct FixQuestion {
  const cluster::PodInfo& pod;  // that did not fit
  const cluster::Snapshot& fork;
  const framework::Profile& profile;
  const framework::Decision& decision;  // of the pod on the fork
  std::optional<cluster::Row> node;     // only fixes for this node
  const Budget& budget;                 // may be empty
};

// At most kMostFixes.
std::vector<ReportFix> find_fixes(const FixQuestion& question);

}  // namespace podium::explain
