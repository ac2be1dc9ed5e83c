// The dry run of preemption: finds the nodes where the pod fits without lower-priority pods, the victims on
// each node, and the best node.
//
// Nothing is evicted here. DefaultPreemption puts the result into the Decision, `podium evaluate` prints it,
// and the live cycle executes it. The dry run tries every node whose verdict is Unschedulable, which removing
// pods may resolve. Upstream tries some of these nodes, starting at a random one
// (minCandidateNodesPercentage, minCandidateNodesAbsolute).
// Threads: pure functions. Source: pkg/scheduler/framework/plugins/defaultpreemption,
// pkg/scheduler/framework/preemption.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/filters.h"
#include "scheduler/plugins/preemption/rank.h"

namespace podium::plugins {

using framework::PreemptionCandidate;

struct PreemptionDryRun {
  std::vector<PreemptionCandidate> candidates;  // by node name
  // Only if there are no candidates, or all were wanted:
  std::size_t failed_nodes = 0;                // nodes that were tried and are not candidates
  std::map<std::string, std::size_t> reasons;  // of the failed nodes: reason → number of nodes
  std::vector<std::string> errors;             // of plugins that failed on a node; by node name, unique
};

// The reason why the pod is not eligible to preempt other pods; nullopt: it is eligible.
std::optional<framework::Reason> not_eligible_to_preempt(const cluster::PodInfo& pod,
                                                         const cluster::Snapshot& snapshot,
                                                         const framework::Decision& decision);

enum class CandidateChoice : bool { all, best };
// `decision` must have the verdicts of `filters` on all nodes. `best`: of the candidates only the one that
// best_candidate() would return.
PreemptionDryRun dry_run_preemption(const cluster::PodInfo& pod, const cluster::Snapshot& snapshot,
                                    const framework::Filters& filters, const framework::Decision& decision,
                                    CandidateChoice wanted = CandidateChoice::all);

// The best candidate; the first of equals. The list is not empty.
const PreemptionCandidate& best_candidate(std::span<const PreemptionCandidate> candidates);

// The verdicts on nodes where no victim is found.
framework::Verdict no_lower_pods();
framework::Verdict no_victims(std::string_view node);  // an error

}  // namespace podium::plugins
