#include "scheduler/cycle/scheduler.h"

#include <algorithm>
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
             [&config = parts.config](std::string_view name) { return config.profile(name); }),
      cycle_({.clock = parts.clock,
              .binder = parts.binder,
              .writer = parts.writer,
              .nominator = parts.nominator,
              .announcer = parts.announcer,
              .recorder = parts.recorder,
              .metrics = parts.metrics,
              .snapshot = snapshot_,
              .queue = queue_,
              .tell = [this](const ClusterEvent& event) { cluster_event(event); },
              .wake = [this] { wake(); }}) {}

// --- the cycle ---

bool Scheduler::step() {
  const auto now = parts_.clock.now();
  cycle_.advance(now);
  if (cycle_.requests() >= kMaxBindings) return false;
  auto queued = queue_.pop(now);
  if (!queued) return false;
  const auto& pod = **queued->pod;
  if (pod.terminating() || cycle_.knows(pod.meta.uid)) {
    queue_.done(pod.meta.uid);
    return true;
  }

  const auto& profile = *parts_.config.profile(pod.scheduler_name);
  const auto decision = framework::evaluate(*queued->pod, snapshot_, profile);
  const framework::Attempt attempt{.pod = queued->pod,
                        .profile = pod.scheduler_name,
                        .number = queued->attempts,
                        .decided_at = parts_.clock.wall(),
                        .queued = now - queued->first_queued,
                        .evaluate = parts_.clock.now() - now};
  parts_.metrics.algorithm(seconds(attempt.evaluate));
  parts_.recorder.decided(attempt, decision, snapshot_);
  if (decision.fits()) {
    cycle_.begin(std::move(*queued), *decision.choice, profile, now);
  } else {
    const auto result = decision.error.empty() ? "unschedulable" : "error";
    parts_.metrics.attempt(attempt.profile, result, seconds(attempt.evaluate));
    turn_down(std::move(*queued), decision);
  }
  return true;
}

std::optional<Steady> Scheduler::next_wakeup() const {
  const auto waits = cycle_.next_wakeup(), queued = queue_.next_wakeup();
  return waits && queued ? std::min(*waits, *queued) : waits ? waits : queued;
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
  if (cycle_.knows(uid)) {
    // The watch has told before the binding's reply did; the truth stands whatever that reply will say.
    cycle_.gone(uid);
  } else if (!before) {
    queue_.remove(uid);
    parts_.recorder.forgotten(uid);
  }
  snapshot_.withdraw_nomination(uid);
  snapshot_.add_pod(pod);
  if (!before) {
    cluster_event(pod_event(Action::kAdd, nullptr, pod));
  } else if (before->pod->node_name != pod->pod->node_name) {
    cluster_event(pod_event(Action::kDelete, before, nullptr));
    cluster_event(pod_event(Action::kAdd, nullptr, pod));
  } else if (const auto changes = framework::pod_changes(*before->pod, *pod->pod)) {
    cluster_event(pod_event(changes, before, pod));
  }
}

void Scheduler::pending_pod(cluster::PodInfoPtr pod) {
  const auto& uid = pod->pod->meta.uid;
  if (cycle_.knows(uid)) {
    // Assumed: the assumption is what counts, unless the pod is on its way out, when its room is free for others.
    if (pod->pod->terminating() && !cycle_.is_gone(uid)) {
      cycle_.gone(uid);
      displace(uid);
    } else {
      cycle_.updated(pod);
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
  cycle_.gone(uid);
  displace(uid);
}

void Scheduler::displace(const std::string& uid) {
  const auto* placed = snapshot_.find_pod(uid);
  if (!placed) return;
  const auto before = *placed;
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
  cycle_.on_event(event);
  wake();
}

}  // namespace podium::cycle
