// The second half of evaluate(): scores, their weighted total, and the choice of a node.
// Internal to scheduler/framework.
//
// Threads: pure functions.
#pragma once

#include <optional>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation.h"

namespace podium::framework {

// PreScore and Score: sets strategies, skipped_strategies and total for the feasible nodes, or only the
// error. `observer` may be null.
void score(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, Decision& decision,
           EvaluationObserver* observer);

// Adds the extenders' scores to strategies and total. Source: prioritizeNodes.
void add_opinions(std::span<const ScoreOpinion> opinions, const Snapshot& snapshot, Decision& decision);

// The best node; without totals the only feasible one. Ties go to the highest hash of node and pod UID
// (rendezvous hashing): each pod orders the nodes differently, so equal nodes share the load, and equal input
// gives an equal choice.
std::optional<Row> choose(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision);

}  // namespace podium::framework
