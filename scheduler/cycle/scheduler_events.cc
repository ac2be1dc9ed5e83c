// Scheduler's handling of cluster events: added, moved and deleted pods, nodes, and the pods that each wakes.
#include <utility>

#include "base/clock.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/cycle/scheduler.h"
#include "scheduler/framework/nominated_node.h"

namespace podium::cycle {
namespace {

using framework::Action;
using framework::ClusterEvent;
using framework::EventResource;

ClusterEvent pod_event(std::uint32_t actions, const cluster::PodInfoPtr& before,
                       const cluster::PodInfoPtr& after) {
  ClusterEvent event{.resource = EventResource::assigned_pod, .actions = actions, .before = {}, .after = {}};
  if (before) event.before = before->pod;
  if (after) event.after = after->pod;
  return event;
}

}  // namespace

void Scheduler::pod_added_or_updated(cluster::PodInfoPtr pod) {
  change_began_ = parts_.clock.now();
  if (pod->pod->terminating()) victim_leaves(pod->pod->meta.uid);
  if (pod->pod->terminated()) {
    pod_deleted(pod->pod->meta.uid);
  } else if (!pod->pod->node_name.empty()) {
    assigned_pod(std::move(pod));
  } else {
    pending_pod(std::move(pod));
  }
}

void Scheduler::assigned_pod(cluster::PodInfoPtr pod) {
  const auto& uid = pod->pod->meta.uid;
  pending_of_others_.erase(uid);
  gated_.erase(uid);
  settled_.erase(uid);
  cluster::PodInfoPtr before;
  if (const auto* known = snapshot_.find_pod(uid)) before = *known;
  const bool was_pending = is_pending(uid);
  assumed_.erase(uid);
  unseen_.ended(uid);
  if (cycle_.knows(uid)) {
    // The watch was faster than the binding's reply. The watch is authoritative, whatever the reply says.
    cycle_.pod_gone(uid);
  } else if (!before) {
    queue_.remove(uid);
    parts_.recorder.forgotten(uid);
  }
  snapshot_.withdraw_nomination(uid);
  snapshot_.add_pod(pod);
  const bool moved = before && before->pod->node_name != pod->pod->node_name;
  if (moved) dispatch(pod_event(Action::kDelete, before, nullptr));
  // A pod that this process placed also counts as added only when the watch shows it: pods may
  // wait for it.
  if (!before || moved || was_pending) {
    // Decisions counted the pod as it was when it was assumed. kube-scheduler wakes no pod for this change.
    if (const auto changes =
            before && !moved ? framework::pod_changes(*before->pod, *pod->pod, pod->rules) : 0)
      dispatch(pod_event(changes, before, pod));
    cluster_event(pod_event(Action::kAdd, nullptr, pod));
    if (was_pending) observe_duration(EventResource::unscheduled_pod, Action::kDelete);
  } else {
    // Source: updateAssignedPodInCache. A change that no plugin registers for is kUpdateOther.
    const auto changes = framework::pod_changes(*before->pod, *pod->pod, pod->rules);
    cluster_event(pod_event(changes ? changes : Action::kUpdateOther, before, pod));
    observe_duration(EventResource::assigned_pod, Action::kUpdateOther);
  }
}

// True if the watch's newest version of the pod has no node: queued, or assumed.
bool Scheduler::is_pending(const std::string& uid) const {
  return assumed_.contains(uid) || (queue_.find(uid) && !snapshot_.find_pod(uid));
}

void Scheduler::pending_pod(cluster::PodInfoPtr pod) {
  const auto& uid = pod->pod->meta.uid;
  auto ours = cycle_.pod(uid);
  if (const auto* assumed = snapshot_.find_pod(uid); !ours && assumed && assumed_.contains(uid)) {
    ours = *assumed;  // the binding has ended; this watch event is older, not a new pod
  }
  if (ours) {
    observe_duration(EventResource::unscheduled_pod,
                     Action::kUpdateOther | framework::pod_changes(*ours->pod, *pod->pod, pod->rules));
    const bool was_shown_on_a_node = cycle_.is_gone(uid) && snapshot_.find_pod(uid);
    // The assumption stays, unless the pod is terminating: then its capacity is free for others.
    if (pod->pod->terminating()) {
      cycle_.pod_gone(uid);
      remove_from_node(uid);
    } else if (was_shown_on_a_node) {
      remove_from_node(uid);
      assumed_.insert(uid);
      cycle_.pending_again(pod);
    } else {
      cycle_.updated(pod);
    }
    return;
  }
  if (const auto settled = settled_.find(uid); settled != settled_.end()) {
    if (!cluster::is_newer(pod->pod->meta.resource_version, settled->second)) return;
    settled_.erase(settled);
  }
  // The watch has shown it on a node before: etcd was restored. The pod must not count against itself.
  // Source: eventhandlers.go, a FilteringResourceEventHandler: from assigned to unassigned is a delete.
  if (snapshot_.find_pod(uid)) {
    remove_from_node(uid);
    observe_duration(EventResource::assigned_pod, Action::kDelete);
  }
  if (!parts_.config.profile(pod->pod->scheduler_name)) {
    pending_of_others_.insert_or_assign(uid, std::move(pod));
    return;
  }
  const auto now = parts_.clock.now();
  std::uint32_t actions = Action::kAdd;
  cluster::PodInfoPtr before;
  if (const auto* known = queue_.find(uid)) {
    before = known->pod;
    actions = Action::kUpdateOther | framework::pod_changes(*before->pod, *pod->pod, pod->rules);
  }
  if (before) renominate(pod);
  queue_.upsert(pod, now);
  if (queue_.is_gated(uid)) gated_.insert(uid);
  if (!before) renominate(pod);  // gated or not
  observe_duration(EventResource::unscheduled_pod, actions);
  const bool was_nominated = before && !before->pod->nominated_node.empty();
  if (was_nominated && before->pod->nominated_node != pod->pod->nominated_node) nomination_ends(before);
  wake();
}

// Takes the nomination from the status. If the status was and is empty, keeps the one of this
// process, whose write may still be in flight.
void Scheduler::renominate(const cluster::PodInfoPtr& pod) {
  const auto& uid = pod->pod->meta.uid;
  const auto* known = queue_.find(uid);
  auto node = pod->pod->nominated_node;
  if (node.empty() && known && (*known->pod)->nominated_node.empty())
    node = framework::nominated_node(*pod, snapshot_);
  if (node.empty()) {
    snapshot_.withdraw_nomination(uid);
  } else {
    snapshot_.nominate(pod, std::move(node));
  }
}

void Scheduler::pod_deleted(const std::string& uid) {
  change_began_ = parts_.clock.now();
  victim_leaves(uid);
  pending_of_others_.erase(uid);
  gated_.erase(uid);
  settled_.erase(uid);
  parts_.recorder.forgotten(uid);
  const auto* queued = queue_.find(uid);
  const auto waiting = queued && !cycle_.knows(uid) && !snapshot_.find_pod(uid) ? queued->pod : nullptr;
  const auto nominated = waiting ? framework::as_nominated(waiting, snapshot_) : nullptr;
  const bool was_pending = is_pending(uid), was_placed = !was_pending && snapshot_.find_pod(uid);
  queue_.remove(uid);
  snapshot_.withdraw_nomination(uid);
  assumed_.erase(uid);
  cycle_.pod_deleted(uid);
  remove_from_node(uid);
  if (was_pending) observe_duration(EventResource::unscheduled_pod, Action::kDelete);
  if (was_placed) observe_duration(EventResource::assigned_pod, Action::kDelete);
  if (nominated) nomination_ends(nominated);
}

void Scheduler::remove_from_node(const std::string& uid) {
  unseen_.ended(uid);
  if (const auto* placed = snapshot_.find_pod(uid)) {
    const auto before = *placed;
    snapshot_.remove_pod(uid);
    dispatch(pod_event(Action::kDelete, before, nullptr));
  }
  rejected_victim_leaves(uid);
}

void Scheduler::node_added_or_updated(api::NodePtr node) {
  change_began_ = parts_.clock.now();
  ClusterEvent event{.resource = EventResource::node, .actions = Action::kAdd, .before = {}, .after = node};
  if (const auto row = snapshot_.find_row(node->meta.name)) {
    const auto before = snapshot_.entry(*row).node;
    event.before = before;
    // A node recreated under its old name is a new node.
    event.actions =
        before->meta.uid == node->meta.uid ? framework::node_changes(*before, *node) : Action::kAdd;
  }
  snapshot_.set_node(std::move(node));
  if (event.actions) cluster_event(event);
}

void Scheduler::node_deleted(const std::string& name) {
  change_began_ = parts_.clock.now();
  const auto row = snapshot_.find_row(name);
  if (!row) return;
  const ClusterEvent event{.resource = EventResource::node,
                           .actions = Action::kDelete,
                           .before = snapshot_.entry(*row).node,
                           .after = {}};
  snapshot_.remove_node(name);
  cluster_event(event);
}

std::vector<cluster::PodInfoPtr> Scheduler::pods() const {
  std::vector<cluster::PodInfoPtr> out;
  snapshot_.each_pod([&](const cluster::PodInfoPtr& pod) { out.push_back(pod); });
  queue_.each([&](const queue::QueuedPod& queued) {
    if (!snapshot_.find_pod(queued.pod->pod->meta.uid)) out.push_back(queued.pod);  // else it is assumed
  });
  for (const auto& [uid, pod] : pending_of_others_) out.push_back(pod);
  return out;
}

std::vector<cluster::PodInfoPtr> Scheduler::waiting() const {
  std::vector<cluster::PodInfoPtr> out;
  queue_.each([&](const queue::QueuedPod& queued) { out.push_back(queued.pod); });
  for (const auto& [uid, pod] : pending_of_others_) out.push_back(pod);
  return out;
}

void Scheduler::object_changed(ClusterEvent event) {
  change_began_ = parts_.clock.now();
  cluster_event(event);
}

// Filters counted the nominated pod on the node for pods of no higher priority; those may fit now.
// Source: eventhandlers.go hasNominatedNodeNameChanged, getLEPriorityPreCheck.
void Scheduler::nomination_ends(const cluster::PodInfoPtr& before) {
  queue_.on_event(pod_event(Action::kDelete, before, nullptr), parts_.clock.now(),
                  [&](const cluster::PodInfo& pod) { return pod.priority <= before->priority; });
  wake();
}

// The freed capacity may help every pod but the one that was assumed.
// Source: schedule_one.go handleBindingCycleError.
void Scheduler::assumption_ended(const ClusterEvent& event) {
  const auto& uid = std::get<api::PodPtr>(event.before)->meta.uid;
  dispatch_to_others(event, uid);
  rejected_victim_leaves(uid);
}

void Scheduler::dispatch_to_others(const ClusterEvent& event, const std::string& uid) {
  dispatch(event, [&](const cluster::PodInfo& pod) { return pod->meta.uid != uid; });
}

void Scheduler::cluster_event(const ClusterEvent& event) {
  dispatch(event);
  observe_duration(event.resource, event.actions);
}

void Scheduler::dispatch(const ClusterEvent& event, const queue::SchedulingQueue::PreCheck& pre_check) {
  queue_.on_event(event, parts_.clock.now(), pre_check);
  cycle_.on_event(event);
  wake();
}

void Scheduler::observe_duration(EventResource resource, std::uint32_t actions) {
  parts_.metrics.event_handled({.resource = resource, .actions = actions, .before = {}, .after = {}},
                               in_seconds(parts_.clock.now() - change_began_));
}

}  // namespace podium::cycle
