#include "scheduler/cycle/scheduler.h"

#include <algorithm>
#include <utility>

#include "api/values/device.h"
#include "base/check.h"
#include "base/clock.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "scheduler/framework/nominated_node.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::cycle {
namespace {

using framework::ClusterEvent;

constexpr std::string_view kPreemptsLater =
    " preemption: the namespace has reached its limit of preemptions in flight.";

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
              .on_given_back = [this](const ClusterEvent& event,
                                      const std::string& uid) { dispatch_to_others(event, uid); },
              .on_changed = [this](const ClusterEvent& event) { dispatch(event); },
              .wake = [this] { wake(); }}) {
  for (const auto& profile : parts.config.profiles) plugin_calls_.emplace_back(*profile);
}

// --- the cycle ---

// A follower takes no step, so only the leader reports gated pods.
void Scheduler::record_gated() {
  for (const auto& uid : std::exchange(gated_, {})) {
    if (!queue_.is_gated(uid)) continue;
    const auto* queued = queue_.find(uid);
    const auto& pod = *queued->pod;
    const auto* profile = parts_.config.profile(pod->scheduler_name);
    // None: the cluster has changed since, and the queue has not checked the gates again yet.
    const auto gate = profile ? framework::gate_of(pod, snapshot_, *profile) : std::nullopt;
    if (gate) parts_.recorder.gated({pod, queued->attempts, *gate, parts_.clock.wall()}, snapshot_);
  }
}

bool Scheduler::step() {
  const auto now = parts_.clock.now();
  record_gated();
  cycle_.advance(now);
  read_unseen(now);
  if (!takes_pods()) return false;
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
  const framework::EvaluationMemo::Use use(memo_);
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

bool Scheduler::takes_pods() const {
  const auto beyond = std::max(cycle_.in_doubt(), kMaxInDoubt) - kMaxInDoubt;
  return !consulting() && cycle_.requests() + beyond < kMaxBindings;
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
  PODIUM_CHECK(consultation_.has_value());  // exactly one answer to each question
  auto consultation = std::move(*consultation_);
  consultation_.reset();
  const auto uid = consultation.queued.pod->pod->meta.uid;
  snapshot_.set_moment({.time = parts_.clock.wall()});
  const auto* queued = queue_.find(uid);
  if (!queued || queued->pod->pod->terminating()) {
    queue_.done(uid);  // deleted since, or bound by another scheduler
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
  Shares::Slot share;
  if (decision.preemption) share = preemption_shares_.take(pod.meta.namespace_);
  const bool preempts_later = decision.preemption && !share;
  if (preempts_later) {
    decision.preemption.reset();
    decision.message += kPreemptsLater;
  }
  const framework::Attempt attempt{.pod = queued.pod,
                                   .profile = pod.scheduler_name,
                                   .number = queued.attempts,
                                   .decided_at = parts_.clock.wall(),
                                   .queued = began - queued.first_queued,
                                   .evaluate = parts_.clock.now() - began};
  parts_.metrics.algorithm(in_seconds(attempt.evaluate));
  if (decision.fits()) {
    assumed_.insert(pod.meta.uid);
    cycle_.begin(std::move(queued), *snapshot_.find_row(decided_on.node_name(*decision.choice)),
                 *parts_.config.profile(pod.scheduler_name), began, {attempt, decision, decided_on});
  } else {
    parts_.recorder.decided(attempt, decision, decided_on);
    const auto result = decision.error.empty() ? "unschedulable" : "error";
    parts_.metrics.attempt(attempt.profile, result, in_seconds(attempt.evaluate));
    const auto uid = pod.meta.uid;
    handle_scheduling_failure(std::move(queued), decision, std::move(share));
    if (preempts_later) queue_.back_off(uid, parts_.clock.now());
  }
}

std::optional<Steady> Scheduler::next_wakeup() const {
  const auto first = [](std::optional<Steady> a, std::optional<Steady> b) {
    return a && b ? std::min(*a, *b) : a ? a : b;
  };
  const auto waits = first(cycle_.next_wakeup(), unseen_.next_read());
  if (!takes_pods()) return waits;  // step() does not pop; the end of a binding wakes it
  return first(waits, queue_.next_wakeup());
}

void Scheduler::handle_scheduling_failure(queue::QueuedPod queued, const framework::Decision& decision,
                                          Shares::Slot share) {
  const auto pod = queued.pod;
  const auto& uid = pod->pod->meta.uid;
  const bool failed = !decision.error.empty();
  std::optional<PreemptionOrder> order;
  std::optional<std::string> nomination;
  cluster::PodInfoPtr unseen_nomination;
  bool victims_are_gone = false;
  if (decision.tried_preemption) parts_.metrics.preemption_attempt();
  if (decision.preemption) {
    victims_are_gone = std::ranges::none_of(decision.preemption->victims, [&](const auto& victim) {
      return find_on(decision.preemption->node, victim->pod->meta.uid) != nullptr;
    });
    order = order_of(pod, *decision.preemption, std::move(share));
    nomination = decision.preemption->node;
    snapshot_.nominate(pod, *nomination);
  } else if (decision.withdraw_nomination) {
    nomination = "";
    // If the watch has not shown the nomination, it may never show its end: the request may have been lost.
    if (pod->pod->nominated_node.empty()) unseen_nomination = framework::as_nominated(pod, snapshot_);
    snapshot_.withdraw_nomination(uid);
  }
  if (preemptions_.holds(uid)) queue_.hold(uid);
  queue_.requeue(std::move(queued),
                 {decision.unschedulable_plugins.begin(), decision.unschedulable_plugins.end()},
                 parts_.clock.now());
  if (victims_are_gone)
    queue_.activate(uid, parts_.clock.now());  // no victim is left whose deletion would wake it
  if (unseen_nomination) nomination_ends(unseen_nomination);
  parts_.announcer.failed(*pod, failed ? "SchedulerError" : "Unschedulable",
                          failed ? decision.error : decision.message, nomination);
  if (order) parts_.preemptor.preempt(std::move(*order));
  if (decision.write) parts_.writer.write({}, *decision.write);
  if (decision.assumed_claim) assume(*decision.assumed_claim);
}

// Skipped if the watch has shown another version since the decision.
void Scheduler::assume(const api::ResourceClaim& claim) {
  auto& objects = snapshot_.objects();
  const auto* known = objects.find<api::ResourceClaim>(claim.meta.namespace_, claim.meta.name);
  if (known && known->meta.uid == claim.meta.uid &&
      known->meta.resource_version == claim.meta.resource_version)
    objects.assume<api::ResourceClaim>(std::make_shared<const api::ResourceClaim>(claim));
}

// --- bindings that no watch shows ---

void Scheduler::binding_ended(const std::string& uid, const BindOutcome& outcome) {
  if (const auto pod = cycle_.pod(uid); pod && outcome.end == BindEnd::elsewhere && !cycle_.is_gone(uid))
    settled_.insert_or_assign(uid,
                              outcome.version.empty() ? pod->pod->meta.resource_version : outcome.version);
  cycle_.binding_ended(uid, outcome);
  const bool is_unseen = assumed_.contains(uid) && snapshot_.find_pod(uid) && !cycle_.knows(uid);
  if (outcome.end == BindEnd::bound && is_unseen) unseen_.bound(uid, parts_.clock.now());
}

void Scheduler::read_unseen(Steady now) {
  while (const auto uid = unseen_.take(now)) parts_.binder.read(*snapshot_.find_pod(*uid));
}

void Scheduler::bound_pod_read(const std::string& uid, const PodRead& read) {
  if (!unseen_.was_read(uid)) {
    // The watch was faster.
  } else if (read.end == PodRead::End::failed) {
    unseen_.read_again(uid, parts_.clock.now());
  } else if (read.end == PodRead::End::gone || (*read.pod)->meta.uid != uid || (*read.pod)->terminated()) {
    auto version = (read.pod ? *read.pod : **snapshot_.find_pod(uid))->meta.resource_version;
    pod_deleted(uid);
    settled_.insert_or_assign(uid, std::move(version));
  } else if ((*read.pod)->node_name.empty()) {
    const auto node = (**snapshot_.find_pod(uid))->node_name;
    assumed_.erase(uid);
    remove_from_node(uid);
    pod_added_or_updated(read.pod);
    parts_.announcer.failed(*read.pod, "SchedulerError",
                            "the API server confirmed the binding to " + node + ", but the pod has no node",
                            std::nullopt);
  } else {
    pod_added_or_updated(read.pod);
    // Watch events of the pod are older than this read until one shows the binding.
    if (snapshot_.find_pod(uid)) assumed_.insert(uid);
  }
  wake();
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
                                                   const framework::Preemption& preemption,
                                                   Shares::Slot share) {
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
    if (cycle_.preempt(victim->pod->meta.uid, framework::names::kDefaultPreemption)) {
      parts_.announcer.preempted(*victim, *pod, order.node, false);
      if (find_on(order.node, victim->pod->meta.uid))
        preemptions_.rejected(pod->pod->meta.uid, victim->pod->meta.uid);
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
  order.number = preemptions_.begin(pod->pod->meta.uid, std::move(uids), std::move(share));
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

// A victim in the binding cycle may leave its node when the binding fails, while the preemptor is held. Then
// neither its deletion nor the end of its eviction frees anything or wakes a pod.
void Scheduler::victim_leaves(const std::string& uid) {
  const bool is_placed = snapshot_.find_pod(uid) != nullptr;
  for (const auto& preemptor : preemptions_.victim_leaves(uid)) {
    queue_.release(preemptor);
    if (is_placed) continue;
    queue_.activate(preemptor, parts_.clock.now());
    wake();
  }
}

// Source: executor.go prepareCandidateAsync, preemptedLastVictimInMemory.
void Scheduler::rejected_victim_leaves(const std::string& uid) {
  for (const auto& preemptor : preemptions_.rejected_leaves(uid)) {
    queue_.activate(preemptor, parts_.clock.now());
    wake();
  }
}

}  // namespace podium::cycle
