// Fixes: the smallest changes that would let more replicas fit, in the cluster or on one node.
//
// Each is tried: a change of the pod is one of its template, and a change of the cluster is there before the
// first replica is placed. So all replicas are placed again, and the fix says how many of them fit. A fix is
// reported only if it was tried and more replicas fit with it. If no single change helps, pairs are tried.
// Pods are counted, never named. The question's own replicas, and the pods that the controller of its pod has
// made, are never removed to make room: a change of the template is one of theirs.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "explain/answer/changes.h"
#include "explain/answer/placing.h"
#include "explain/answer/quotas.h"
#include "explain/report/what_if_parts.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {

inline constexpr std::size_t kMostFixes = 16;

// The most replicas that a fix is tried with, or one more than fit without it. The fix then says "at least".
// Preemption for each takes longer.
inline constexpr std::int32_t kMostTried = 1000, kMostPreempting = 100;

struct FixQuestion {
  // The replica that did not fit, on which fork, and why.
  const cluster::PodInfo& pod;
  const cluster::Snapshot& fork;
  const framework::Decision& decision;
  std::int32_t index = 0;
  std::optional<cluster::Row> node;  // if set, only fixes with which it fits on this node

  const Replicas& replicas;
  const cluster::Snapshot& start;                                   // the fork without any of them
  const Placed& placed;                                             // as they were placed without a fix
  std::int32_t most = Count::kAny;                                  // the what-if has no memory for more
  const std::optional<std::vector<api::LimitRange>>& limit_ranges;  // nullopt: not known
  const std::optional<std::vector<api::ResourceQuota>>& quotas;     // nullopt: not known
  const decltype(api::AdmissionObjects::runtime_classes)& runtime_classes;
  const Quotas& quotas_now;                         // with the pods that the answer has created
  std::int32_t existing = 0;                        // as in NewPods
  const std::vector<cluster::PodInfoPtr>& waiting;  // pods without a node
};

struct FoundFixes {
  std::vector<ReportFix> list;  // at most kMostFixes; those with which most replicas fit first
  bool all_tried = false;       // all changes and, where none of them helps, all pairs
};
FoundFixes find_fixes(const FixQuestion& question);
// The fixes if quotas allow fewer replicas than have room on the nodes. The decision of the question may fit.
std::vector<ReportFix> find_quota_fixes(const FixQuestion& question);

}  // namespace podium::explain
