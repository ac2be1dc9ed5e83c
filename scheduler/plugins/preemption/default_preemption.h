// The dry run of preemption: on which nodes would there be room if less important pods went, which ones would
// have to go, and which node is the best of these.
//
// Nothing is evicted here: DefaultPreemption puts the answer into the Decision, `podium evaluate` prints it,
// and the live cycle carries it out. Every node that a Filter turned down in a way that removing pods may
// cure is tried; upstream tries a part of them, from a random one on (minCandidateNodesPercentage,
// minCandidateNodesAbsolute).
// Threads: pure functions. Sources: pkg/scheduler/framework/plugins/defaultpreemption,
// pkg/scheduler/framework/preemption.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/filters.h"

namespace podium::plugins {

using framework::PreemptionCandidate;

struct PreemptionDryRun {
  std::vector<PreemptionCandidate> candidates;  // by node name
  std::map<std::string, std::size_t> reasons;   // of the nodes that were tried in vain: how many gave each
  std::size_t tried_in_vain = 0;
  std::vector<std::string> errors;  // of plugins that failed on a node; by node name
};

// Why the pod may not preempt anybody; nullopt: it may.
std::optional<std::string> not_eligible_to_preempt(const cluster::PodInfo& pod,
                                                   const cluster::Snapshot& snapshot,
                                                   const framework::Decision& decision);

// `decision` has the verdicts of `filters` on all nodes.
PreemptionDryRun dry_run_preemption(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                    const framework::Filters& filters, const framework::Decision& decision);

// The one to take: the first of the best in the order given. Not for an empty list.
const PreemptionCandidate& best_candidate(std::span<const PreemptionCandidate> candidates);

// Pods by falling priority, and of equal priority those that have run longer first. One that has no start
// time has not started yet.
bool is_more_important(const cluster::PodInfoPtr& a, const cluster::PodInfoPtr& b);

// Of pods in the order given, those that the budgets would not let go if all of them went one after the
// other, and the rest.
struct ByBudget {
  std::vector<cluster::PodInfoPtr> violating, others;
};
ByBudget split_by_budget(std::span<const cluster::PodInfoPtr> pods, const cluster::Objects& objects);

}  // namespace podium::plugins
