// The rolling update of a Deployment, or of a DaemonSet that surges, step by step: whether the new pods find
// places next to those that they replace. A what-if asks about all replicas as if the existing pods were not
// there, so all may fit and the update may still get stuck.
//
// Every new pod with a place counts as available. The order of deletions is that of
// explain/workload/deletion_order.h.
//
// Threads: pure functions on one fork. Errors: none.
// Sources: pkg/controller/deployment/rolling.go, pkg/controller/daemon/update.go.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/answer/placing.h"
#include "explain/answer/quotas.h"
#include "explain/question/question.h"
#include "explain/report/what_if_parts.h"
#include "scheduler/config/values/config.h"

namespace podium::explain {

// The cluster before the update: with the pods that exist, and what they take of the quotas.
struct UpdateStart {
  cluster::Snapshot fork;
  Quotas quotas;
};

// nullopt: the update ends, or the budget does.
std::optional<StuckRollout> find_stuck_rollout(const Replicas& replicas, std::int32_t count,
                                               UpdateStart start);

// With the question's changes. `fork`: as it was before the question. nullopt: no rolling update.
std::optional<UpdateStart> start_of_update(const Question& question, cluster::Snapshot fork,
                                           const config::Config& config, const Budget& budget,
                                           const api::AdmissionObjects& objects,
                                           const std::vector<cluster::PodInfoPtr>& waiting);

}  // namespace podium::explain
