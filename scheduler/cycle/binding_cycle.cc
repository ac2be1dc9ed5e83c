#include "scheduler/cycle/binding_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/values/pod.h"
#include "base/clock.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/cycle/binding_pod.h"

namespace podium::cycle {
namespace {

// Source: framework.go RunPreBindPreFlights.
std::string pre_flight_failed(std::string_view plugin, const framework::Verdict& verdict) {
  if (verdict.code == framework::Code::error)
    return fmt::format("running PreBindPreFlight \"{}\": {}", plugin, message(verdict));
  return fmt::format(
      "PreBindPreFlight {} returned \"{}\", which is unsupported. It is supposed to return Success, Skip, or "
      "Error status",
      plugin, framework::to_string(verdict.code));
}

}  // namespace

BindingCycle::BindingCycle(Parts parts) : parts_(std::move(parts)) {}
BindingCycle::~BindingCycle() = default;

BindingCycle::Pod* BindingCycle::find(std::string_view uid) const {
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second.get();
}

// --- Reserve and Permit: within the scheduling cycle ---

void BindingCycle::begin(queue::QueuedPod queued, cluster::Row row, const framework::Profile& profile,
                         Steady began, const Decided& decided) {
  unrecorded_ = &decided;
  auto owned = std::make_unique<Pod>();
  auto& pod = *owned;
  pod.assumed = {queued.pod, std::string(parts_.snapshot.node_name(row))};
  pod.queued = std::move(queued);
  pod.profile = &profile;
  pod.began = began;
  pod.sent = parts_.clock.now();
  pods_.emplace(pod.uid(), std::move(owned));

  framework::assume(*pod.assumed.pod, row, parts_.snapshot);
  enter(pod, "Reserve");
  auto failure = reserve(pod);
  if (!failure) {
    enter(pod, "Permit");
    failure = permit(pod);
  }
  if (!failure) {
    enter(pod, "PreBindPreFlight", pod.pending.empty() ? "Success" : "Wait");
    failure = pre_flight(pod);
  }
  if (failure) {
    fail(pod, std::move(*failure));
  } else if (pod.pending.empty()) {
    end_permit(pod);
  }
  record_decision();
  settle();
}

void BindingCycle::record_decision() {
  if (const auto* made = std::exchange(unrecorded_, nullptr))
    parts_.recorder.decided(made->attempt, made->decision, made->snapshot);
}

framework::Recorder& BindingCycle::recorder() {
  record_decision();
  return parts_.recorder;
}

// A failure within the scheduling cycle: no other decision has seen the assumption yet.
BindingCycle::Failure BindingCycle::failure_at(std::string_view point,
                                               const framework::PlacementFailure& failure) {
  if (failure.is_error()) return {failure.message(point), false, {}, false};
  return {failure.message(point), true, {failure.plugin}, false};
}

// Records the duration of the current extension point and starts the next one; "" starts none.
void BindingCycle::enter(Pod& pod, std::string_view point, std::string_view status_of_last) {
  const auto now = parts_.clock.now();
  if (!pod.point.empty()) {
    parts_.metrics.extension_point(pod.point, status_of_last, pod.profile->scheduler_name,
                                   in_seconds(now - pod.point_began));
  }
  pod.point = point;
  pod.point_began = now;
}

std::optional<BindingCycle::Failure> BindingCycle::reserve(Pod& pod) {
  const auto failure = framework::reserve(pod.assumed, *pod.profile, parts_.snapshot, pod.states);
  if (failure) return failure_at("Reserve", *failure);
  return std::nullopt;
}

std::optional<BindingCycle::Failure> BindingCycle::permit(Pod& pod) {
  std::map<std::string, Pod::Wait, std::less<>> pending;
  for (const auto& [name, plugin] : pod.profile->permits) {
    auto result = plugin->permit(pod.assumed, parts_.snapshot, *this);
    if (result.wait) {
      const auto timeout = std::min(result.timeout, framework::kLongestPermitWait);
      pending[name] = {timeout, parts_.clock.now() + timeout};
    }
    if (result.denied) return failure_at("Permit", {name, std::move(*result.denied)});
  }
  if (pending.empty()) return std::nullopt;
  pod.pending = std::move(pending);
  pod.stage = Pod::Stage::permitting;
  waiting_.insert(pod.uid());
  set_deadline(pod, pod.first_timeout());
  record_permits(pod);
  return std::nullopt;
}

// Collects the PreBind plugins that have work. If there are any, or the pod waits for a permit,
// binding may take long, so the node is nominated (NominatedNodeNameForExpectation).
std::optional<BindingCycle::Failure> BindingCycle::pre_flight(Pod& pod) {
  for (const auto& entry : pod.profile->pre_binds) {
    const auto needed = entry.plugin->needs_pre_bind(pod.assumed, pod.state(entry.name));
    if (!needed) {
      return Failure{pre_flight_failed(entry.name, needed.error())};
    }
    if (*needed) pod.pre_binds.push_back(&entry);
  }
  enter(pod, "", pod.pre_binds.empty() ? "Skip" : "Success");
  if (!parts_.nominates || (pod.pre_binds.empty() && pod.pending.empty())) return std::nullopt;
  pod.nominated = true;
  if (pod.assumed.pod->pod->nominated_node != pod.assumed.node) {
    parts_.nominator.nominate(*pod.assumed.pod, pod.assumed.node);
  }
  return std::nullopt;
}

// Ends the pod's flight in the queue: from here on a failure is retried after a backoff, not when
// an event occurs.
void BindingCycle::end_permit(Pod& pod) {
  if (pod.stage == Pod::Stage::permitting)
    parts_.metrics.permit_wait("Success", in_seconds(parts_.clock.now() - pod.sent));
  waiting_.erase(pod.uid());
  set_deadline(pod, std::nullopt);
  parts_.queue.done(pod.uid());
  enter(pod, "PreBind");
  pre_bind(pod);
}

// --- PreBind ---

// Runs the current plugin: its writes, then its wait. Binds the pod when no plugin is left.
void BindingCycle::pre_bind(Pod& pod) {
  if (pod.plugin == pod.pre_binds.size()) return bind(pod);
  const auto& [name, plugin] = *pod.pre_binds[pod.plugin];
  pod.plan = plugin->pre_bind(pod.assumed, pod.state(name), parts_.snapshot);
  pod.write = 0;
  if (pod.plan.failed) {
    auto& verdict = *pod.plan.failed;
    const bool rejected = verdict.code != framework::Code::error;
    return fail(pod,
                {rejected ? message(verdict) : framework::plugin_failed("PreBind", name, message(verdict)),
                 rejected});
  }
  next_write(pod);
}

void BindingCycle::next_write(Pod& pod) {
  if (pod.write < pod.plan.writes.size()) {
    pod.stage = Pod::Stage::writing;
    ++requests_;
    parts_.writer.write(pod.uid(), pod.plan.writes[pod.write]);
    return;
  }
  if (pod.plan.timeout) return begin_wait(pod);
  pre_bound(pod);
}

void BindingCycle::pre_bound(Pod& pod) {
  const auto& [name, plugin] = *pod.pre_binds[pod.plugin];
  plugin->pre_bound(pod.assumed, pod.state(name), parts_.snapshot);
  ++pod.plugin;
  pre_bind(pod);
}

void BindingCycle::write_ended(const std::string& uid, WriteOutcome outcome) {
  auto* pod = find(uid);
  if (!pod || pod->stage != Pod::Stage::writing) return;
  --requests_;
  const auto& [name, plugin] = *pod->pre_binds[pod->plugin];
  const auto& write = pod->plan.writes[pod->write];
  if (write.verb == framework::ObjectWrite::Verb::create && write.resource == "resourceclaims")
    parts_.metrics.claim_created(outcome.object.has_value());
  auto step = plugin->replied(pod->assumed, pod->state(name), pod->write,
                              {outcome.object ? &*outcome.object : nullptr, outcome.error, outcome.conflict},
                              parts_.snapshot);
  const auto& error = step ? step->error : outcome.error;
  if (pod->gone || stopping_) {
    end(*pod, pod->gone ? kGone : kStopping);
  } else if (step ? !error.empty() : !outcome.object) {
    fail(*pod, {framework::plugin_failed("PreBind", name, error)});
  } else if (pod->verdict) {
    fail(*pod, std::move(*pod->verdict));
  } else {
    ++pod->write;
    if (step) pod->plan.writes = std::move(step->writes), pod->write = 0;
    next_write(*pod);
  }
  if (step) std::ranges::for_each(step->events, parts_.on_changed);
  settle();
  parts_.wake();
}

// --- Bind ---

void BindingCycle::bind(Pod& pod) {
  enter(pod, "Bind");
  pod.stage = Pod::Stage::binding;
  ++requests_;
  parts_.binder.bind(pod.assumed.pod, pod.assumed.node);
}

// The pod keeps its assumed capacity, but no longer counts as a request in flight.
void BindingCycle::binding_in_doubt(const std::string& uid) {
  auto* pod = find(uid);
  if (!pod || pod->stage != Pod::Stage::binding || std::exchange(pod->in_doubt, true)) return;
  --requests_;
  ++in_doubt_;
  parts_.wake();
}

void BindingCycle::binding_ended(const std::string& uid, const BindOutcome& outcome) {
  auto* known = find(uid);
  if (!known || known->stage != Pod::Stage::binding) return;
  --(known->in_doubt ? in_doubt_ : requests_);
  if (outcome.end == BindEnd::not_sent && !known->gone) {
    requeue_unsent(*known);
  } else if (outcome.end != BindEnd::unknown && known->verdict && !known->gone) {
    fail(*known, std::move(*known->verdict));
  } else if (outcome.end == BindEnd::rejected && !known->gone) {
    fail(*known, {outcome.error});
  } else if (outcome.end != BindEnd::bound) {
    end(*known, outcome.error);
  } else {
    auto pod = take(*known);
    enter(*pod, "PostBind");
    const auto now = parts_.clock.now();
    recorder().binding_ended(
        *pod->queued.pod,
        {.bound = true, .node = pod->assumed.node, .error = outcome.error, .duration = now - pod->sent});
    parts_.metrics.attempt(pod->profile->scheduler_name, "scheduled", in_seconds(now - pod->began));
    parts_.metrics.bound(pod->queued.attempts, in_seconds(now - pod->queued.first_queued),
                         pod->queued.was_flushed);
    if (pod->deleted) recorder().forgotten(uid);
    if (pod->nominated) parts_.nominator.forget(uid);
    parts_.announcer.scheduled(*pod->queued.pod, pod->assumed.node);
    for (const auto& [name, plugin] : pod->profile->post_binds)
      plugin->post_bind(pod->assumed, pod->state(name), *this);
    enter(*pod, "");
  }
  settle();
  parts_.wake();
}

// --- the other ends ---

// Source: handleBindingCycleError and handleSchedulingFailure.
void BindingCycle::fail(Pod& failed, Failure failure) {
  auto pod = take(failed);
  enter(*pod, "Unreserve", failure.rejected ? "Unschedulable" : "Error");
  unreserve(*pod);
  enter(*pod, "");
  const auto freed = forget(*pod);
  const auto now = parts_.clock.now();
  const auto info = pod->queued.pod;
  recorder().binding_ended(
      *info,
      {.bound = false, .node = pod->assumed.node, .error = failure.message, .duration = now - pod->sent});
  parts_.metrics.attempt(pod->profile->scheduler_name, failure.rejected ? "unschedulable" : "error",
                         in_seconds(now - pod->began));
  parts_.queue.requeue(std::move(pod->queued), std::move(failure.rejected_by), now);
  if (failure.assumption_visible) {
    announce_given_back(pod->uid());
    if (freed) parts_.on_forgotten(*freed);
  }
  if (pod->nominated || !info->pod->nominated_node.empty()) parts_.nominator.nominate(*info, "");
  parts_.announcer.failed(*info, failure.rejected ? "Unschedulable" : "SchedulerError", failure.message,
                          std::nullopt);
  parts_.wake();
}

// No request reached the API server, so nothing is announced or recorded. The pod is requeued in case
// this process regains the right to write.
void BindingCycle::requeue_unsent(Pod& unsent) {
  auto pod = take(unsent);
  unreserve(*pod);
  enter(*pod, "", "Error");
  const auto freed = forget(*pod);
  const auto info = pod->queued.pod;
  recorder().binding_withdrawn(pod->uid());
  parts_.queue.requeue(std::move(pod->queued), {}, parts_.clock.now());
  if (pod->nominated) parts_.nominator.nominate(*info, "");
  announce_given_back(pod->uid());
  if (freed) parts_.on_forgotten(*freed);
}

// The pod is not requeued: it is gone or elsewhere, or the scheduler stops. Writes to the API server are not
// undone: a pod that is elsewhere may run with its volumes and devices.
void BindingCycle::end(Pod& ended, const std::string& why) {
  auto pod = take(ended);
  sends_ = false;
  unreserve(*pod);
  sends_ = true;
  recorder().binding_ended(
      *pod->queued.pod,
      {.bound = false, .node = pod->assumed.node, .error = why, .duration = parts_.clock.now() - pod->sent});
  if (pod->deleted) recorder().forgotten(pod->uid());
  parts_.queue.done(pod->uid());
  if (pod->nominated) parts_.nominator.forget(pod->uid());
  announce_given_back(pod->uid());
  if (pod->gone) return;
  if (const auto freed = forget(*pod)) parts_.on_forgotten(*freed);
}

BindingCycle::PodPtr BindingCycle::take(Pod& pod) {
  set_deadline(pod, std::nullopt);
  waiting_.erase(pod.uid());
  pre_binding_.erase(pod.uid());
  awaiting_events_.erase(pod.uid());
  const auto it = pods_.find(pod.uid());
  auto taken = std::move(it->second);
  pods_.erase(it);
  return taken;
}

void BindingCycle::unreserve(Pod& pod) {
  given_back_.clear();
  framework::unreserve(pod.assumed, *pod.profile, pod.states, parts_.snapshot, *this);
}

// kube-scheduler wakes no pod for this: a pod that only lacks what was given back waits for the flush.
void BindingCycle::announce_given_back(const std::string& uid) {
  for (const auto& event : std::exchange(given_back_, {})) parts_.on_given_back(event, uid);
}

// Removes the assumption. Returns the delete event for the capacity that this frees.
std::optional<framework::ClusterEvent> BindingCycle::forget(const Pod& pod) {
  const auto* placed = parts_.snapshot.find_pod(pod.uid());
  if (!placed || (**placed)->node_name != pod.assumed.node) return std::nullopt;
  framework::ClusterEvent event{.resource = framework::EventResource::assigned_pod,
                                .actions = framework::kDelete,
                                .before = (*placed)->pod,
                                .after = {}};
  parts_.snapshot.remove_pod(pod.uid());
  return event;
}

}  // namespace podium::cycle
