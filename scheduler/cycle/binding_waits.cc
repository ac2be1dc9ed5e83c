// BindingCycle's waits: Permit and PreBind waits, their timeouts, and the events and calls that end them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "api/values/pod.h"
#include "base/clock.h"
#include "base/duration.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/cycle/binding_cycle.h"
#include "scheduler/cycle/binding_pod.h"

namespace podium::cycle {

// --- time ---

void BindingCycle::set_deadline(Pod& pod, std::optional<Steady> deadline) {
  if (pod.deadline) deadlines_.erase({*pod.deadline, pod.uid()});
  pod.deadline = deadline;
  if (deadline) deadlines_.emplace(*deadline, pod.uid());
}

std::optional<Steady> BindingCycle::next_wakeup() const {
  if (!to_settle_.empty()) return parts_.clock.now();
  return deadlines_.empty() ? std::nullopt : std::optional(deadlines_.begin()->first);
}

void BindingCycle::advance(Steady now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    auto& pod = *find(deadlines_.begin()->second);
    set_deadline(pod, std::nullopt);
    if (pod.stage == Pod::Stage::permitting) {
      const auto first = std::ranges::min_element(
          pod.pending, {}, [](const auto& entry) { return std::pair(entry.second.until, entry.first); });
      const auto [plugin, wait] = *first;
      reject(pod.uid(), plugin,
             fmt::format("rejected due to timeout after waiting {} at plugin {}",
                         format_duration(wait.timeout), plugin));
    } else if (now < pod.wait_began + *pod.plan.timeout) {
      wait_on(pod);
      settle_later(pod.uid());
    } else {
      count_wait(pod, framework::Progress::State::timed_out);
      fail(pod, {framework::plugin_failed("PreBind", pod.pre_binds[pod.plugin]->name, pod.plan.timed_out)});
    }
  }
  settle();
}

// --- the wait in PreBind ---

void BindingCycle::begin_wait(Pod& pod) {
  pod.stage = Pod::Stage::awaiting;
  pod.wait_began = parts_.clock.now();
  pre_binding_.insert(pod.uid());
  if (pod.plan.poll.count() == 0) awaiting_events_.insert(pod.uid());
  if (!pod.plan.reason.empty()) parts_.announcer.noted(*pod.queued.pod, pod.plan.reason, pod.plan.note);
  wait_on(pod);
  settle_later(pod.uid());
}

// The time until the next poll, or until the timeout.
void BindingCycle::wait_on(Pod& pod) {
  const auto end = pod.wait_began + *pod.plan.timeout;
  const auto poll = pod.plan.poll;
  set_deadline(pod, poll.count() == 0 ? end : std::min(end, parts_.clock.now() + poll));
}

void BindingCycle::await_ready(Pod& pod) {
  const auto& [name, plugin] = *pod.pre_binds[pod.plugin];
  parts_.snapshot.set_moment({.time = parts_.clock.wall()});
  auto progress = plugin->ready(pod.assumed, pod.state(name), parts_.snapshot);
  using State = framework::Progress::State;
  if (progress.state == State::not_yet) return record_wait(pod, std::move(progress.waits_for));
  count_wait(pod, progress.state);
  if (progress.state != State::ready)
    return fail(pod, {framework::plugin_failed("PreBind", name, progress.error)});
  pre_binding_.erase(pod.uid());
  awaiting_events_.erase(pod.uid());
  set_deadline(pod, std::nullopt);
  pre_bound(pod);
}

void BindingCycle::record_permits(Pod& pod) {
  const auto plugins = pod.pending | std::views::keys;
  record_wait(pod, fmt::format("it waits for the permit of {}", fmt::join(plugins, " and ")));
}

void BindingCycle::record_wait(Pod& pod, framework::Reason wait) {
  if (wait == framework::Reason() || wait == pod.waits_for) return;
  pod.waits_for = std::move(wait);
  recorder().binding_waits(*pod.queued.pod, pod.waits_for);
}

void BindingCycle::count_wait(const Pod& pod, framework::Progress::State end) {
  const auto& [name, plugin] = *pod.pre_binds[pod.plugin];
  const auto devices = plugin->awaited(pod.assumed, pod.state(name), parts_.snapshot);
  parts_.metrics.device_wait(pod.profile->scheduler_name, devices, end,
                             in_seconds(parts_.clock.now() - pod.wait_began));
}

// --- events that may end a wait ---

void BindingCycle::on_event(const framework::ClusterEvent& event) {
  for (const auto& uid : awaiting_events_) {
    const auto& pod = *find(uid);
    const auto& [name, plugin] = *pod.pre_binds[pod.plugin];
    if (plugin->concerns(pod.assumed, pod.state(name), event)) settle_later(uid);
  }
  settle();
}

cluster::PodInfoPtr BindingCycle::pod(std::string_view uid) const {
  const auto* known = find(uid);
  return known ? known->queued.pod : nullptr;
}

bool BindingCycle::updated(const cluster::PodInfoPtr& pod) {
  auto* known = find(pod->pod->meta.uid);
  if (!known) return false;
  known->queued.pod = pod;
  parts_.queue.refresh(pod);
  return true;
}

bool BindingCycle::pod_gone(std::string_view uid) {
  auto* pod = find(uid);
  if (!pod) return false;
  pod->gone = true;
  settle_later(uid);
  settle();
  return true;
}

void BindingCycle::pod_deleted(std::string_view uid) {
  if (auto* pod = find(uid)) pod->deleted = true;
  pod_gone(uid);
}

void BindingCycle::pending_again(const cluster::PodInfoPtr& pod) {
  updated(pod);
  auto& known = *find(pod->pod->meta.uid);
  known.gone = false;
  known.verdict = Failure{kPendingAgain};
  if (const auto row = parts_.snapshot.find_row(known.assumed.node))
    framework::assume(*known.assumed.pod, *row, parts_.snapshot);
}

bool BindingCycle::is_gone(std::string_view uid) const {
  const auto* pod = find(uid);
  return pod && pod->gone;
}

// Source: waiting_pods_map.go Preempt, pods_in_prebind_map.go CancelPod.
bool BindingCycle::preempt(std::string_view uid, std::string_view plugin) {
  auto* pod = find(uid);
  if (!pod || pod->gone || pod->stage == Pod::Stage::binding) return false;
  if (pod->verdict) return true;  // it fails when the write in flight has ended
  const bool permitting = pod->stage == Pod::Stage::permitting;
  pod->verdict = Failure{permitting ? "waiting on permit for pod: preempted"
                                    : fmt::format("running PreBind plugin \"{}\": preempted by {}",
                                                  pod->pre_binds[pod->plugin]->name, plugin)};
  settle_later(uid);
  settle();
  return true;
}

void BindingCycle::stop() {
  stopping_ = true;
  for (const auto& uid : waiting_) settle_later(uid);
  for (const auto& uid : pre_binding_) settle_later(uid);
  settle();
}

// --- Handle ---

void BindingCycle::each_waiting_pod(const std::function<void(const framework::AssumedPod&)>& visit) const {
  for (const auto& uid : waiting_) {
    if (const auto& pod = *find(uid); !pod.verdict) visit(pod.assumed);
  }
}

std::vector<std::string> BindingCycle::pending_plugins(std::string_view uid) const {
  std::vector<std::string> plugins;
  const auto* pod = find(uid);
  if (!pod || pod->stage != Pod::Stage::permitting || pod->verdict) return plugins;
  for (const auto& [plugin, wait] : pod->pending) plugins.push_back(plugin);
  return plugins;
}

void BindingCycle::allow(std::string_view uid, std::string_view plugin) {
  auto* pod = find(uid);
  if (!pod || pod->stage != Pod::Stage::permitting) return;
  const auto it = pod->pending.find(plugin);
  if (it == pod->pending.end()) return;
  pod->pending.erase(it);
  if (!pod->pending.empty()) {
    record_permits(*pod);
    return set_deadline(*pod, pod->first_timeout());
  }
  set_deadline(*pod, std::nullopt);
  settle_later(uid);
}

bool BindingCycle::reject(std::string_view uid, std::string_view plugin, std::string message) {
  auto* pod = find(uid);
  if (!pod || pod->stage != Pod::Stage::permitting || pod->verdict || pod->pending.empty()) return false;
  pod->verdict = Failure{fmt::format("0/1 nodes are available: 1 {}.", message), true, {std::string(plugin)}};
  settle_later(uid);
  return true;
}

// The outcome belongs to no pod: write_ended() ignores it.
void BindingCycle::send(framework::ObjectWrite write) {
  // Objects that were created for this pod only are removed in any case.
  const bool removes = write.verb == framework::ObjectWrite::Verb::remove;
  if (sends_ || removes) parts_.writer.write({}, std::move(write));
}

void BindingCycle::gave_back(framework::ClusterEvent event) { given_back_.push_back(std::move(event)); }

// --- settling ---

void BindingCycle::settle_later(std::string_view uid) {
  to_settle_.emplace_back(uid);
  if (!settling_) parts_.wake();
}

void BindingCycle::settle() {
  if (settling_) return;
  settling_ = true;
  while (!to_settle_.empty()) {
    const auto uid = std::move(to_settle_.front());
    to_settle_.pop_front();
    if (auto* pod = find(uid); pod && pod->waits()) settle(*pod);
  }
  settling_ = false;
}

// Advances a pod that has no request in flight.
void BindingCycle::settle(Pod& pod) {
  if (pod.gone || stopping_) return end(pod, pod.gone ? kGone : kStopping);
  const bool permitting = pod.stage == Pod::Stage::permitting;
  if (pod.verdict) {
    if (permitting) {
      parts_.metrics.permit_wait(pod.verdict->rejected ? "Unschedulable" : "Error",
                                 in_seconds(parts_.clock.now() - pod.sent));
    } else {
      count_wait(pod, framework::Progress::State::error);
    }
    return fail(pod, std::move(*pod.verdict));
  }
  if (!permitting) return await_ready(pod);
  if (pod.pending.empty()) end_permit(pod);
}

}  // namespace podium::cycle
