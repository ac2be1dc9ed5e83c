#include "scheduler/cycle/scheduler.h"

#include <utility>

namespace podium::cycle {
namespace {

using framework::Action;
using framework::ClusterEvent;
using framework::Resource;

double seconds(std::chrono::nanoseconds d) { return std::chrono::duration<double>(d).count(); }

ClusterEvent pod_event(std::uint32_t actions, const cluster::PodInfoPtr& before, const cluster::PodInfoPtr& after) {
  ClusterEvent event{.resource = Resource::assigned_pod, .actions = actions, .before = {}, .after = {}};
  if (before) event.before = before->pod;
  if (after) event.after = after->pod;
  return event;
}

}  // namespace

Scheduler::Scheduler(Parts parts)
    : parts_(parts),
      queue_({.initial_backoff = parts.config.pod_initial_backoff, .max_backoff = parts.config.pod_max_backoff},
             [&config = parts.config](std::string_view name) { return config.profile(name); }) {}

// --- the cycle ---

bool Scheduler::step() {
  if (bindings_.size() >= kMaxBindings) return false;
  const auto now = parts_.clock.now();
  auto queued = queue_.pop(now);
  if (!queued) return false;
  const auto& pod = **queued->pod;
  if (pod.terminating() || bindings_.contains(pod.meta.uid)) {
    queue_.done(pod.meta.uid);
    return true;
  }

  const auto decision =
      framework::evaluate(*queued->pod, snapshot_, *parts_.config.profile(pod.scheduler_name));
  const framework::Attempt attempt{.pod = queued->pod,
                        .profile = pod.scheduler_name,
                        .number = queued->attempts,
                        .decided_at = parts_.clock.wall(),
                        .queued = now - queued->first_queued,
                        .evaluate = parts_.clock.now() - now};
  parts_.metrics.algorithm(seconds(attempt.evaluate));
  parts_.recorder.decided(attempt, decision, snapshot_);
  if (decision.fits()) {
    place(std::move(*queued), decision, attempt);
  } else {
    const auto result = decision.error.empty() ? "unschedulable" : "error";
    parts_.metrics.attempt(attempt.profile, result, seconds(attempt.evaluate));
    turn_down(std::move(*queued), decision);
  }
  return true;
}

void Scheduler::place(queue::QueuedPod queued, const framework::Decision& decision, const framework::Attempt& attempt) {
  const auto row = *decision.choice;
  std::string node(snapshot_.node_name(row));
  const auto pod = queued.pod;
  const auto& uid = pod->pod->meta.uid;
  const auto sent = parts_.clock.now();
  snapshot_.add_pod(cluster::make_placed(*pod, node, &snapshot_.entry(row).node->meta.labels));
  assumed_.insert(uid);
  snapshot_.withdraw_nomination(uid);
  queue_.done(uid);
  bindings_.emplace(uid, Binding{.queued = std::move(queued), .node = node, .began = sent - attempt.evaluate, .sent = sent});
  parts_.binder.bind(pod, std::move(node));
}

void Scheduler::turn_down(queue::QueuedPod queued, const framework::Decision& decision) {
  const auto pod = queued.pod;
  const bool failed = !decision.error.empty();
  queue_.requeue(std::move(queued),
                 {decision.unschedulable_plugins.begin(), decision.unschedulable_plugins.end()},
                 parts_.clock.now());
  parts_.announcer.failed(*pod, failed ? "SchedulerError" : "Unschedulable",
                          failed ? decision.error : decision.message);
}

void Scheduler::binding_ended(const std::string& uid, const BindOutcome& outcome) {
  const auto it = bindings_.find(uid);
  if (it == bindings_.end()) return;
  auto binding = std::move(it->second);
  bindings_.erase(it);
  const auto now = parts_.clock.now();
  const auto pod = binding.queued.pod;
  parts_.recorder.binding_ended(*pod, {.bound = outcome.end == BindEnd::bound,
                                       .node = binding.node,
                                       .error = outcome.error,
                                       .duration = now - binding.sent});
  switch (outcome.end) {
    case BindEnd::bound:
      parts_.metrics.attempt(pod->pod->scheduler_name, "scheduled", seconds(now - binding.began));
      parts_.metrics.bound(binding.queued.attempts, seconds(now - binding.queued.first_queued));
      parts_.announcer.scheduled(*pod, binding.node);
      break;
    case BindEnd::elsewhere:
      if (!binding.gone) forget(uid, binding);
      break;
    case BindEnd::rejected:
      if (binding.gone) break;
      parts_.metrics.attempt(pod->pod->scheduler_name, "error", seconds(now - binding.began));
      queue_.requeue(std::move(binding.queued), {}, now);
      forget(uid, binding);
      parts_.announcer.failed(*pod, "SchedulerError", outcome.error);
      break;
  }
  wake();
}

// Takes an assumption back. What it had occupied is free again, which may help others.
void Scheduler::forget(const std::string& uid, const Binding& binding) {
  const auto* placed = snapshot_.find_pod(uid);
  if (!placed || (*placed)->pod->node_name != binding.node) return;
  const auto before = *placed;
  assumed_.erase(uid);
  snapshot_.remove_pod(uid);
  cluster_event(pod_event(Action::kDelete, before, nullptr));
}

// --- the cluster ---

void Scheduler::pod_added_or_updated(cluster::PodInfoPtr pod) {
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
  cluster::PodInfoPtr before;
  if (const auto* known = snapshot_.find_pod(uid)) before = *known;
  if (const auto it = bindings_.find(uid); it != bindings_.end()) {
    // The watch has told before the binding's reply did; the truth stands whatever that reply will say.
    it->second.gone = true;
  } else if (!before) {
    queue_.remove(uid);
    parts_.recorder.forgotten(uid);
  }
  snapshot_.withdraw_nomination(uid);
  snapshot_.add_pod(pod);
  // A pod that we have placed ourselves comes to its node with the watch's word, as any other: others may wait for it.
  const bool was_assumed = assumed_.erase(uid) > 0;
  if (!before) {
    cluster_event(pod_event(Action::kAdd, nullptr, pod));
  } else if (before->pod->node_name != pod->pod->node_name) {
    cluster_event(pod_event(Action::kDelete, before, nullptr));
    cluster_event(pod_event(Action::kAdd, nullptr, pod));
  } else if (was_assumed) {
    cluster_event(pod_event(Action::kAdd, nullptr, pod));
  } else if (const auto changes = framework::pod_changes(*before->pod, *pod->pod)) {
    cluster_event(pod_event(changes, before, pod));
  }
}

void Scheduler::pending_pod(cluster::PodInfoPtr pod) {
  const auto& uid = pod->pod->meta.uid;
  if (const auto it = bindings_.find(uid); it != bindings_.end()) {
    // Assumed: the assumption is what counts, unless the pod is on its way out, when its room is free for others.
    if (pod->pod->terminating() && !it->second.gone) {
      it->second.gone = true;
      forget(uid, it->second);
    } else {
      it->second.queued.pod = std::move(pod);
    }
    return;
  }
  if (!parts_.config.profile(pod->pod->scheduler_name)) return;
  const auto now = parts_.clock.now();
  if (pod->pod->nominated_node.empty()) {
    snapshot_.withdraw_nomination(uid);
  } else {
    snapshot_.nominate(pod, pod->pod->nominated_node);
  }
  if (queue_.find(uid)) {
    queue_.update(std::move(pod), now);
  } else {
    queue_.add(std::move(pod), now);
  }
  wake();
}

void Scheduler::pod_deleted(const std::string& uid) {
  parts_.recorder.forgotten(uid);
  queue_.remove(uid);
  snapshot_.withdraw_nomination(uid);
  if (const auto it = bindings_.find(uid); it != bindings_.end()) it->second.gone = true;
  const auto* placed = snapshot_.find_pod(uid);
  if (!placed) return;
  const auto before = *placed;
  assumed_.erase(uid);
  snapshot_.remove_pod(uid);
  cluster_event(pod_event(Action::kDelete, before, nullptr));
}

void Scheduler::node_added_or_updated(api::NodePtr node) {
  ClusterEvent event{.resource = Resource::node, .actions = Action::kAdd, .before = {}, .after = node};
  if (const auto row = snapshot_.find_row(node->meta.name)) {
    const auto before = snapshot_.entry(*row).node;
    event.before = before;
    // A node that was made anew under its old name is another node.
    event.actions = before->meta.uid == node->meta.uid ? framework::node_changes(*before, *node) : Action::kAdd;
  }
  snapshot_.set_node(std::move(node));
  if (event.actions) cluster_event(event);
}

void Scheduler::node_deleted(const std::string& name) {
  const auto row = snapshot_.find_row(name);
  if (!row) return;
  const ClusterEvent event{
      .resource = Resource::node, .actions = Action::kDelete, .before = snapshot_.entry(*row).node, .after = {}};
  snapshot_.remove_node(name);
  cluster_event(event);
}

void Scheduler::object_changed(ClusterEvent event) { cluster_event(event); }

void Scheduler::cluster_event(const ClusterEvent& event) {
  queue_.on_event(event, parts_.clock.now());
  wake();
}

}  // namespace podium::cycle
