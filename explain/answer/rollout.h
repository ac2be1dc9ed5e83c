// The rolling update of a workload, step by step: whether the new pods find places next to the old ones that
// the controller does not delete yet. A what-if asks about all replicas as if the existing pods were not
// there. So all may fit and the update may still get stuck, or few may fit and the old pods stay.
//
// Every new pod with a place becomes available. Those of a Deployment do so one after the other, as kubelets
// report them: its controller has deleted what it may before the next one does, and new pods go where there
// is room then. Its old pods that wait take the room of pods that terminate and on new nodes. Those that
// still wait keep their part of the surge, and are deleted before any other old one. The order of deletions
// is that of explain/workload/deletion_order.h. Existing pods count as old unless they have the new template
// and others do not. If a Deployment has fewer pods than replicas, its controller first creates more old
// ones, also if they have no place.
//
// Threads: pure functions on one fork. Errors: none.
// Sources: pkg/controller/deployment/rolling.go and sync.go (isScalingEvent),
// pkg/controller/daemon/update.go, pkg/controller/statefulset/stateful_set_control.go.
#pragma once

#include <optional>
#include <vector>

#include "explain/answer/new_volumes.h"
#include "explain/answer/update.h"
#include "explain/question/question.h"
#include "scheduler/config/values/config.h"

namespace podium::explain {

// Those of the workload's pods that have another template, the placed and the waiting ones; not all of them
// if the budget ends.
RemovedPods with_other_template(const Replicas& replicas, const RemovedPods& pods);

// Whether the question's pods would come as an update. Where one of them does not fit, or their number
// changes, only a changed template makes an update, and a question how many fit never does. A DaemonSet that
// surges updates the nodes that have its pods, whatever the others lack. `others`: the existing pods with
// another template.
bool is_update(const Subject& subject, const Placed& placed, const RemovedPods& existing,
               const RemovedPods& others);

// nullopt: the update ends, or the budget or the memory does, or a StatefulSet has more than kMostReplicas.
std::optional<RolloutEnd> find_stuck_rollout(const Replicas& replicas, Count count, UpdateStart start);

// The old pods that an update deletes only after new ones are ready, and where it places the first new ones;
// of pods without claims, no nodes. `count`: its bounds hold here too. `others`: the existing pods with
// another template, which outlive this.
Overlap overlap_of(const Replicas& replicas, const Count& count, const Placed& placed,
                   const UpdateStart& start, const RemovedPods& others);

// Makes the question's changes on `fork`, which is as it was before them. nullopt: no rolling update.
std::optional<UpdateStart> start_of_update(const Question& question, cluster::Snapshot fork,
                                           const config::Config& config, const Budget& budget,
                                           const api::AdmissionObjects& objects,
                                           const std::vector<cluster::PodInfoPtr>& waiting);

}  // namespace podium::explain
