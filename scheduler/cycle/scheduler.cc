#include "scheduler/cycle/scheduler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "scheduler/framework/evaluation.h"
#include "scheduler/framework/nominated_node.h"

namespace podium::cycle {
namespace {

using framework::Action;
using framework::ClusterEvent;
using framework::Resource;

// The only in-tree plugin that preempts; named in the victim's message.
constexpr std::string_view kPreemptionPlugin = "DefaultPreemption";

ClusterEvent pod_event(std::uint32_t actions, const cluster::PodInfoPtr& before,
                       const cluster::PodInfoPtr& after) {
  ClusterEvent event{.resource = Resource::assigned_pod, .actions = actions, .before = {}, .after = {}};
  if (before) event.before = before->pod;
  if (after) event.after = after->pod;
  return event;
}

}  // namespace

Scheduler::Scheduler(Parts parts)
    : parts_(parts),
      queue_(
          {.initial_backoff = parts.config.pod_initial_backoff,
           .max_backoff = parts.config.pod_max_backoff,
           .pop_from_backoff = parts.config.features.pop_from_backoff_queue},
          [&config = parts.config](std::string_view name) { return config.profile(name); }, &snapshot_),
      cycle_({.clock = parts.clock,
              .binder = parts.binder,
              .writer = parts.writer,
              .nominator = parts.nominator,
              .announcer = parts.announcer,
              .recorder = parts.recorder,
              .metrics = parts.metrics,
              .snapshot = snapshot_,
              .queue = queue_,
              .nominates = parts.config.features.nominated_node_name_for_expectation,
              .on_forgotten = [this](const ClusterEvent& event) { assumption_ended(event); },
              .on_changed = [this](const ClusterEvent& event) { dispatch(event); },
              .wake = [this] { wake(); }}) {
  for (const auto& profile : parts.config.profiles) plugin_calls_.emplace_back(*profile);
}

// --- the cycle ---

// A follower takes no step, so that only the leader tells of gated pods.
void Scheduler::record_gated() {
  for (const auto& uid : std::exchange(gated_, {})) {
    if (!queue_.is_gated(uid)) continue;
    const auto* queued = queue_.find(uid);
    parts_.recorder.gated(*queued->pod, queued->rejected_by, snapshot_, parts_.clock.wall());
  }
}

bool Scheduler::step() {
  const auto now = parts_.clock.now();
  record_gated();
  cycle_.advance(now);
  if (consultation_ || is_full()) return false;
  auto queued = queue_.pop(now);
  if (!queued) return false;
  const auto& pod = **queued->pod;
  if (pod.terminating()) parts_.announcer.skipped(*queued->pod);
  if (pod.terminating() || cycle_.knows(pod.meta.uid)) {
    queue_.done(pod.meta.uid);
    return true;
  }

  const auto& profile = *parts_.config.profile(pod.scheduler_name);
  snapshot_.set_moment({.time = parts_.clock.wall()});
  if (parts_.consultant && parts_.consultant->applies_to(pod)) {
    const auto info = queued->pod;
    consultation_.emplace(Consultation{.queued = std::move(*queued), .snapshot = snapshot_, .began = now});
    parts_.consultant->decide(info, snapshot_, profile, next_start_);
    return false;
  }
  StopWatch observer(parts_.clock, parts_.metrics, calls_of(profile));
  const framework::ScoreMemo::Use use(memo_);
  const bool searches_devices = may_search_devices(*queued->pod);
  if (searches_devices)
    snapshot_.set_moment({.time = parts_.clock.wall(), .is_hurried = patience_.is_over(now)});
  auto decision = framework::Evaluation(*queued->pod, snapshot_, profile, next_start_, &observer).finish();
  conclude(std::move(*queued), std::move(decision), snapshot_, now);
  if (searches_devices) patience_.spend(now, parts_.clock.now());
  return true;
}

bool Scheduler::may_search_devices(const cluster::PodInfo& pod) {
  return !pod->resource_claims.empty() || !pod.requests.scalars.empty();
}

bool Scheduler::is_full() const {
  const auto beyond = std::max(cycle_.in_doubt(), kMaxInDoubt) - kMaxInDoubt;
  return cycle_.requests() + beyond >= kMaxBindings;
}

PluginCalls& Scheduler::calls_of(const framework::Profile& profile) {
  return *std::ranges::find(plugin_calls_, &profile, [](const PluginCalls& calls) { return &calls.profile; });
}

void Scheduler::publish_metrics() {
  const auto bindings = cycle_.size();
  parts_.metrics.queue(queue_);
  parts_.metrics.bindings(bindings);
  parts_.metrics.cache(snapshot_.node_count(), snapshot_.pod_total(), bindings);
  for (const auto& calls : plugin_calls_) parts_.metrics.plugin_calls(calls);
}

void Scheduler::decided(framework::Decision decision) {
  if (!consultation_) return;
  auto consultation = std::move(*consultation_);
  consultation_.reset();
  const auto uid = consultation.queued.pod->pod->meta.uid;
  snapshot_.set_moment({.time = parts_.clock.wall()});
  const auto* queued = queue_.find(uid);
  if (!queued || queued->pod->pod->terminating()) {
    queue_.done(uid);  // meanwhile deleted, or bound by another scheduler
  } else {
    if (decision.choice) {
      const std::string node(consultation.snapshot.node_name(*decision.choice));
      if (!snapshot_.find_row(node)) {
        decision.choice.reset();
        decision.error = "node " + node + " has left the cluster";
      }
    }
    const bool node_is_gone = decision.preemption && !snapshot_.find_row(decision.preemption->node);
    if (node_is_gone) decision.preemption.reset();
    conclude(std::move(consultation.queued), std::move(decision), consultation.snapshot, consultation.began);
    if (node_is_gone) queue_.activate(uid, parts_.clock.now());
  }
  wake();
}

void Scheduler::conclude(queue::QueuedPod queued, framework::Decision decision,
                         const cluster::Snapshot& decided_on, Steady began) {
  const auto& pod = *queued.pod->pod;
  next_start_ = decision.next_start;
  const framework::Attempt attempt{.pod = queued.pod,
                                   .profile = pod.scheduler_name,
                                   .number = queued.attempts,
                                   .decided_at = parts_.clock.wall(),
                                   .queued = began - queued.first_queued,
                                   .evaluate = parts_.clock.now() - began};
  parts_.metrics.algorithm(in_seconds(attempt.evaluate));
  parts_.recorder.decided(attempt, decision, decided_on);
  if (decision.fits()) {
    assumed_.insert(pod.meta.uid);
    cycle_.begin(std::move(queued), *snapshot_.find_row(decided_on.node_name(*decision.choice)),
                 *parts_.config.profile(pod.scheduler_name), began);
  } else {
    const auto result = decision.error.empty() ? "unschedulable" : "error";
    parts_.metrics.attempt(attempt.profile, result, in_seconds(attempt.evaluate));
    handle_scheduling_failure(std::move(queued), decision);
  }
}

std::optional<Steady> Scheduler::next_wakeup() const {
  const auto waits = cycle_.next_wakeup(), queued = queue_.next_wakeup();
  return waits && queued ? std::min(*waits, *queued) : waits ? waits : queued;
}

void Scheduler::handle_scheduling_failure(queue::QueuedPod queued, const framework::Decision& decision) {
  const auto pod = queued.pod;
  const auto& uid = pod->pod->meta.uid;
  const bool failed = !decision.error.empty();
  std::optional<PreemptionOrder> order;
  std::optional<std::string> nomination;
  bool victims_are_gone = false;
  if (decision.tried_preemption) parts_.metrics.preemption_attempt();
  if (decision.preemption) {
    victims_are_gone = std::ranges::none_of(decision.preemption->victims, [&](const auto& victim) {
      return find_on(decision.preemption->node, victim->pod->meta.uid) != nullptr;
    });
    order = order_of(pod, *decision.preemption);
    nomination = decision.preemption->node;
    snapshot_.nominate(pod, *nomination);
  } else if (decision.withdraw_nomination) {
    nomination = "";
    snapshot_.withdraw_nomination(uid);
  }
  if (preemptions_.holds(uid)) queue_.hold(uid);
  queue_.requeue(std::move(queued),
                 {decision.unschedulable_plugins.begin(), decision.unschedulable_plugins.end()},
                 parts_.clock.now());
  if (victims_are_gone)
    queue_.activate(uid, parts_.clock.now());  // no victim is left whose deletion would wake it
  parts_.announcer.failed(*pod, failed ? "SchedulerError" : "Unschedulable",
                          failed ? decision.error : decision.message, nomination);
  if (order) parts_.preemptor.preempt(std::move(*order));
  if (decision.write) parts_.writer.write({}, *decision.write);
  if (decision.assumed_claim) assume(*decision.assumed_claim);
}

// Unless the watch has shown another version since the decision.
void Scheduler::assume(const api::ResourceClaim& claim) {
  auto& objects = snapshot_.objects();
  const auto* known = objects.find<api::ResourceClaim>(claim.meta.namespace_, claim.meta.name);
  if (known && known->meta.uid == claim.meta.uid &&
      known->meta.resource_version == claim.meta.resource_version)
    objects.assume<api::ResourceClaim>(std::make_shared<const api::ResourceClaim>(claim));
}

// --- preemption ---

// The pod in the snapshot, if it is on that node; else null.
const cluster::PodInfoPtr* Scheduler::find_on(std::string_view node, std::string_view uid) const {
  const auto* found = snapshot_.find_pod(uid);
  return found && (**found)->node_name == node ? found : nullptr;
}

// Nullopt if all victims are already gone or terminating, which happens while extenders take long to
// decide. Lower-priority pods nominated to the node may no longer fit there; without their nomination
// they are scheduled elsewhere sooner.
std::optional<PreemptionOrder> Scheduler::order_of(const cluster::PodInfoPtr& pod,
                                                   const framework::Preemption& preemption) {
  std::vector<cluster::PodInfoPtr> victims;
  for (const auto& decided : preemption.victims) {
    const auto* victim = find_on(preemption.node, decided->pod->meta.uid);
    if (victim && !(**victim)->terminating()) victims.push_back(*victim);
  }
  if (victims.empty()) return std::nullopt;
  PreemptionOrder order{.preemptor = pod, .node = preemption.node};
  Preemptions::Uids uids;
  for (const auto& victim : victims) {
    // A victim in the binding cycle (Permit or PreBind) is requeued instead of deleted.
    if (cycle_.preempt(victim->pod->meta.uid, kPreemptionPlugin)) {
      parts_.announcer.preempted(*victim, *pod, order.node, false);
      continue;
    }
    order.victims.push_back(victim);
    uids.insert(victim->pod->meta.uid);
  }
  for (const auto& nomination : snapshot_.nominations()) {
    if (nomination.node == order.node && nomination.pod->priority < pod->priority &&
        !nomination.pod->pod->nominated_node.empty()) {
      order.to_withdraw.push_back(nomination.pod);
    }
  }
  parts_.metrics.preemption(preemption.victims.size());
  order.began = parts_.clock.now();
  order.number = preemptions_.begin(pod->pod->meta.uid, std::move(uids));
  return order;
}

void Scheduler::preemption_ended(const PreemptionOrder& order, const PreemptionOutcome& outcome) {
  const auto& uid = order.preemptor->pod->meta.uid;
  parts_.metrics.evicted(outcome.error.empty(), in_seconds(parts_.clock.now() - order.began));
  for (const auto& victim : outcome.evicted)
    parts_.announcer.preempted(*victim, *order.preemptor, order.node, true);
  const auto awaited = preemptions_.end(order.number);
  if (awaited) queue_.release(uid);
  const bool are_gone =
      awaited && !awaited->empty() && std::ranges::none_of(*awaited, [&](const auto& victim) {
        return snapshot_.find_pod(victim) != nullptr;
      });
  // After a failure no event is certain to wake the pod.
  if (!outcome.error.empty()) {
    queue_.back_off(uid, parts_.clock.now());
  } else if (are_gone) {
    queue_.activate(uid, parts_.clock.now());
  }
  wake();
}

// A victim that was being bound may leave its node when that fails, while the preemptor is held. Its deletion
// frees nothing then and wakes nobody; so does the end of its eviction.
void Scheduler::victim_leaves(const std::string& uid) {
  const bool is_placed = snapshot_.find_pod(uid) != nullptr;
  for (const auto& preemptor : preemptions_.victim_leaves(uid)) {
    queue_.release(preemptor);
    if (!is_placed) queue_.activate(preemptor, parts_.clock.now());
  }
}

// --- the cluster ---

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
  cluster::PodInfoPtr before;
  if (const auto* known = snapshot_.find_pod(uid)) before = *known;
  const bool was_pending = is_pending(uid);
  assumed_.erase(uid);
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
    cluster_event(pod_event(Action::kAdd, nullptr, pod));
    if (was_pending) observe_duration(Resource::unscheduled_pod, Action::kDelete);
  } else {
    // Source: updateAssignedPodInCache. A change that no plugin registers for is kUpdateOther.
    const auto changes = framework::pod_changes(*before->pod, *pod->pod, pod->rules);
    cluster_event(pod_event(changes ? changes : Action::kUpdateOther, before, pod));
    observe_duration(Resource::assigned_pod, Action::kUpdateOther);
  }
}

// Whether the watch's newest version of the pod has no node: queued, or assumed.
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
    observe_duration(Resource::unscheduled_pod,
                     Action::kUpdateOther | framework::pod_changes(*ours->pod, *pod->pod, pod->rules));
    // The assumption stays, unless the pod is terminating: then its capacity is free for others.
    if (pod->pod->terminating() && !cycle_.is_gone(uid)) {
      cycle_.pod_gone(uid);
      remove_from_node(uid);
    } else {
      cycle_.updated(pod);
    }
    return;
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
  queue_.update(pod, now);
  if (queue_.is_gated(uid)) gated_.insert(uid);
  // A pod that is gated when it is added is not nominated before its next update, as upstream.
  if (!before && !queue_.is_gated(uid)) renominate(pod);
  observe_duration(Resource::unscheduled_pod, actions);
  const bool was_nominated = before && !before->pod->nominated_node.empty();
  if (was_nominated && before->pod->nominated_node != pod->pod->nominated_node) nomination_ends(before);
  wake();
}

// Takes the nomination from the status. If the status was and is empty, keeps the one of this
// process, whose write may still be under way.
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
  parts_.recorder.forgotten(uid);
  const auto* queued = queue_.find(uid);
  const auto waiting = queued && !cycle_.knows(uid) && !snapshot_.find_pod(uid) ? queued->pod : nullptr;
  const auto nominated = waiting ? framework::as_nominated(waiting, snapshot_) : nullptr;
  const bool was_pending = is_pending(uid), was_placed = !was_pending && snapshot_.find_pod(uid);
  queue_.remove(uid);
  snapshot_.withdraw_nomination(uid);
  assumed_.erase(uid);
  cycle_.pod_gone(uid);
  remove_from_node(uid);
  if (was_pending) observe_duration(Resource::unscheduled_pod, Action::kDelete);
  if (was_placed) observe_duration(Resource::assigned_pod, Action::kDelete);
  if (nominated) nomination_ends(nominated);
}

void Scheduler::remove_from_node(const std::string& uid) {
  const auto* placed = snapshot_.find_pod(uid);
  if (!placed) return;
  const auto before = *placed;
  snapshot_.remove_pod(uid);
  dispatch(pod_event(Action::kDelete, before, nullptr));
}

void Scheduler::node_added_or_updated(api::NodePtr node) {
  change_began_ = parts_.clock.now();
  ClusterEvent event{.resource = Resource::node, .actions = Action::kAdd, .before = {}, .after = node};
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
  const ClusterEvent event{.resource = Resource::node,
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

void Scheduler::observe_duration(Resource resource, std::uint32_t actions) {
  parts_.metrics.event_handled({.resource = resource, .actions = actions, .before = {}, .after = {}},
                               in_seconds(parts_.clock.now() - change_began_));
}

}  // namespace podium::cycle
