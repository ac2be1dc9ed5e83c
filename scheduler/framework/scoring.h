// The second half of evaluate(): scores, their weighted total, and the choice among the best. Internal to
// this room.
#pragma once

#include <optional>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation.h"

namespace podium::framework {

// PreScore and Score: fills in strategies, skipped_strategies and total for the feasible nodes; or the error,
// and none of these. `observer` may be null.
void score(const PodInfo& pod, const Snapshot& snapshot, const Profile& profile, Decision& decision,
           EvaluationObserver* observer);

// Adds what extenders say to strategies and total. Source: prioritizeNodes.
void add_opinions(std::span<const ScoreOpinion> opinions, const Snapshot& snapshot, Decision& decision);

// The best node; without totals any will do, for there is one. Among equals the one whose hash with the pod's
// UID is highest: every pod has an order of its own, so equal nodes share the load, and the same question has
// the same answer (rendezvous hashing).
std::optional<Row> choose(const PodInfo& pod, const Snapshot& snapshot, const Decision& decision);

}  // namespace podium::framework
