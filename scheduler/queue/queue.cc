#include "scheduler/queue/queue.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/backoff.h"
#include "base/text_hash.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation.h"
#include "scheduler/framework/event_labels.h"
#include "scheduler/queue/entry.h"
#include "scheduler/queue/event_log.h"
#include "scheduler/queue/heap.h"
#include "scheduler/queue/waiting_pods.h"

namespace podium::queue {
namespace {

using State = Entry::State;
using framework::ClusterEvent;
using framework::EventResource;

// Backoffs end on whole seconds. Source: backoff_queue.go backoffQOrderingWindowDuration.
constexpr std::chrono::seconds kBackoffWindow{1};

// Names of the queues in metrics. kNoQueue: the pod is new, or comes from a backoff or an activation.
constexpr std::string_view kActive = "active", kBackoff = "backoff", kUnschedulable = "unschedulable",
                           kNoQueue;

bool is_wild_card(const ClusterEvent& event) {
  return event.resource == EventResource::wild_card && event.actions == framework::kAll;
}

}  // namespace

struct SchedulingQueue::Impl {
  Impl(QueueOptions options, WaitingPods::ProfileOf profile_of, const cluster::Snapshot* given)
      : options(options),
        profile_of(profile_of),
        snapshot(given ? *given : empty),
        waiting(std::move(profile_of), snapshot),
        log(options.max_in_flight_events) {}

  // --- entries ---

  Entry* find(std::string_view uid) {
    const auto it = entries.find(uid);
    return it == entries.end() ? nullptr : it->second.get();
  }

  Entry& insert(QueuedPod pod) {
    const auto& meta = pod.pod->pod->meta;
    auto& slot = entries[meta.uid];
    slot = std::make_unique<Entry>();
    waiting.register_profile(pod.pod->pod->scheduler_name);
    slot->queued = std::move(pod);
    return *slot;
  }

  void erase(Entry& entry) {
    if (entry.state != State::in_flight) count_reasons(entry, -1);
    detach(entry);
    entries.erase(entries.find(entry.queued.pod->pod->meta.uid));
  }

  // Removes the entry from its heap and from the waiting pods; its state is then none.
  void detach(Entry& entry) {
    switch (entry.state) {
      case State::active:
        active.erase(&entry);
        break;
      case State::backoff:
        backing_off.erase(&entry);
        break;
      case State::error_backoff:
        backing_off_after_error.erase(&entry);
        break;
      case State::unschedulable:
        unschedulable.erase(&entry);
        break;
      case State::gated:
        gated.erase(&entry);
        break;
      case State::in_flight:
        log.end_flight(entry.flight_start);
        --in_flight;
        break;
      case State::none:
        break;
    }
    waiting.remove(entry);
    entry.state = State::none;
  }

  void count_reasons(const Entry& entry, std::int64_t by) {
    tallies.count_rejected(entry.queued.rejected_by, entry.queued.pod->pod->scheduler_name, by);
  }

  // --- moving ---

  // Returns the PreEnqueue plugin that rejects the pod; empty: none.
  std::string gate_of(const Entry& entry) const {
    const auto* profile = profile_of(entry.queued.pod->pod->scheduler_name);
    auto verdict = profile ? framework::gate_of(*entry.queued.pod, snapshot, *profile) : std::nullopt;
    return verdict ? std::move(verdict->plugin) : std::string();
  }

  // If a PreEnqueue plugin rejects the pod, makes it gated and returns true.
  bool gate_if_rejected(Entry& entry, std::string_view event, std::string_view chosen) {
    const auto gate = gate_of(entry);
    if (gate.empty()) return false;
    if (entry.queued.rejected_by.insert(gate).second) {
      ++tallies.rejected[{gate, entry.queued.pod->pod->scheduler_name}];
    }
    if (entry.state != State::unschedulable && entry.state != State::gated)
      tallies.count_incoming(kUnschedulable, event, chosen);
    detach(entry);
    entry.state = State::gated;
    entry.queued.was_flushed = false;
    entry.flush_at = std::max(entry.queued.last_queued, entry.flushed_at) + options.flush_after;
    gated.push(&entry);
    waiting.add_if_hinted(entry, gate);
    return true;
  }

  // Retries a pod after an event or the flush. One that stays gated counts as incoming again, as upstream.
  void wake(Entry& entry, Steady now, std::string_view event) {
    if (!entry.held) detach(entry);
    enqueue(entry, now, event, kBackoff);
  }

  // Moves the pod to active, backoff or gated; a held pod to unschedulable. Metrics count by `event`, and
  // compare the queue with the `chosen` one.
  void enqueue(Entry& entry, Steady now, std::string_view event, std::string_view chosen) {
    if (entry.held) return move_to_unschedulable(entry, now, event, chosen);
    const bool backs_off = entry.backoff_end > now;
    if ((options.pop_from_backoff || !backs_off) && gate_if_rejected(entry, event, chosen)) return;
    detach(entry);
    if (!backs_off) {
      activate(entry, now, event, chosen);
    } else if (entry.queued.rejected_by.empty()) {
      entry.state = State::error_backoff;
      backing_off_after_error.push(&entry);
      tallies.count_incoming(kBackoff, event, chosen);
    } else {
      entry.state = State::backoff;
      backing_off.push(&entry);
      tallies.count_incoming(kBackoff, event, chosen);
    }
  }

  void activate(Entry& entry, Steady now, std::string_view event, std::string_view chosen) {
    if (entry.queued.attempts == 0) entry.queued.first_queued = now;
    entry.state = State::active;
    active.push(&entry);
    tallies.count_incoming(kActive, event, chosen);
  }

  void move_to_unschedulable(Entry& entry, Steady since, std::string_view event, std::string_view chosen) {
    if (entry.state != State::unschedulable && entry.state != State::gated)
      tallies.count_incoming(kUnschedulable, event, chosen);
    detach(entry);
    entry.state = State::unschedulable;
    entry.flush_at = since + options.flush_after;
    unschedulable.push(&entry);
    for (const auto& plugin : entry.queued.rejected_by) waiting.add(entry, plugin);
  }

  // --- the life of a pod ---

  void add(cluster::PodInfoPtr pod, Steady now) {
    QueuedPod queued;
    queued.pod = std::move(pod);
    queued.last_queued = now;
    auto& entry = insert(std::move(queued));
    entry.sequence = ++sequence;
    enqueue(entry, now,
            framework::event_label(framework::event_slot(EventResource::unscheduled_pod, framework::kAdd)),
            kNoQueue);
  }

  void update(Entry& entry, cluster::PodInfoPtr pod, Steady now) {
    const auto before = std::exchange(entry.queued.pod, std::move(pod));
    switch (entry.state) {
      case State::active:
        active.moved(&entry);
        return;
      case State::backoff:
        backing_off.moved(&entry);
        return;
      case State::error_backoff:
        backing_off_after_error.moved(&entry);
        return;
      case State::none:
        return;
      case State::gated:
      case State::unschedulable:
      case State::in_flight:
        break;
    }
    const auto changes = framework::pod_changes(*before->pod, *entry.queued.pod->pod, before->rules);
    const ClusterEvent event{EventResource::target_pod, changes ? changes : framework::kUpdateOther,
                             before->pod, entry.queued.pod->pod};
    if (entry.state == State::in_flight) {
      entry.removed = false;
      log.push(event);
    } else if (entry.state == State::gated || waiting.helps(entry, event)) {
      enqueue(entry, now, event_label(event), kBackoff);
    }
  }

  std::optional<QueuedPod> pop() {
    if (active.empty() && (backing_off.empty() || !options.pop_from_backoff)) return std::nullopt;
    if (active.empty()) tallies.count_incoming(kActive, kPopFromBackoff, kNoQueue);
    auto& entry = active.empty() ? *backing_off.top() : *active.top();
    detach(entry);
    count_reasons(entry, -1);
    ++entry.queued.attempts;
    entry.state = State::in_flight;
    entry.flight_start = log.begin_flight();
    entry.activated = false;
    ++in_flight;
    return entry.queued;
  }

  void requeue(QueuedPod pod, std::set<std::string> rejected_by, Steady now) {
    auto* entry = find(pod.pod->pod->meta.uid);
    if (!entry) {
      entry = &insert(std::move(pod));
    } else if (entry->state != State::in_flight) {
      return;
    } else if (entry->removed) {
      return erase(*entry);
    }
    auto& queued = entry->queued;
    queued.rejected_by = std::move(rejected_by);
    queued.was_flushed = false;
    entry->flushed_at = Steady::min();
    count_reasons(*entry, +1);
    if (queued.rejected_by.empty()) {
      ++queued.consecutive_errors;
    } else {
      ++queued.unschedulable_count;
      queued.consecutive_errors = 0;
    }
    queued.last_queued = now;
    entry->sequence = ++sequence;
    entry->backoff_end = backoff_end(queued);
    if (worth_another_try(*entry)) {
      enqueue(*entry, now, kAttemptFailed, kBackoff);
    } else {
      move_to_unschedulable(*entry, queued.last_queued, kAttemptFailed, kUnschedulable);
    }
  }

  Steady backoff_end(const QueuedPod& pod) const {
    if (options.max_backoff.count() == 0) return Steady::min();
    const auto failures = pod.consecutive_errors > 0 ? pod.consecutive_errors : pod.unschedulable_count;
    const auto end = pod.last_queued + Backoff{options.initial_backoff, options.max_backoff}.after(failures);
    return options.pop_from_backoff ? std::chrono::floor<std::chrono::seconds>(end) + kBackoffWindow : end;
  }

  // True if a requeued pod need not wait for an event: a helpful one arrived, or it failed with an error.
  bool worth_another_try(const Entry& entry) {
    if (entry.queued.rejected_by.empty() || entry.state != State::in_flight || entry.activated) return true;
    return log.any_since(entry.flight_start, [&](const ClusterEvent& event) {
      return is_wild_card(event) || waiting.helps(entry, event);
    });
  }

  // --- events and time ---

  void on_event(const ClusterEvent& event, Steady now, const PreCheck& pre_check) {
    if (is_wild_card(event)) return move_all(event, now);
    for (auto* entry : waiting.woken_by(event)) {
      if (!pre_check || pre_check(*entry->queued.pod)) wake(*entry, now, event_label(event));
    }
    if (in_flight > 0 && waiting.is_of_interest(event)) log.push(event);
  }

  void move_all(const ClusterEvent& event, Steady now) {
    log.push(event);
    auto all = std::vector(unschedulable.items());
    all.insert(all.end(), gated.items().begin(), gated.items().end());
    for (auto* entry : all) wake(*entry, now, event_label(event));
  }

  void activate_now(Entry& entry, Steady now) {
    if (entry.state == State::in_flight) entry.activated = true;
    const bool backs_off = entry.state == State::backoff || entry.state == State::error_backoff;
    if (entry.held || (!backs_off && entry.state != State::unschedulable)) return;
    // Pods in backoff have already passed PreEnqueue.
    if (!(backs_off && options.pop_from_backoff) && gate_if_rejected(entry, kForceActivate, kNoQueue)) return;
    detach(entry);
    activate(entry, now, kForceActivate, kNoQueue);
  }

  // Uses the error backoff, which protects the API server: pop() does not cut it short.
  void back_off(Entry& entry, Steady now) {
    if (entry.state == State::in_flight) entry.activated = true;
    if (entry.held || (entry.state != State::backoff && entry.state != State::unschedulable)) return;
    if (entry.state == State::unschedulable && options.pop_from_backoff &&
        gate_if_rejected(entry, kAttemptFailed, kBackoff))
      return;
    detach(entry);
    entry.queued.last_queued = now;
    entry.backoff_end = backoff_end(entry.queued);
    if (entry.backoff_end <= now) return activate(entry, now, kAttemptFailed, kBackoff);
    entry.state = State::error_backoff;
    backing_off_after_error.push(&entry);
    tallies.count_incoming(kBackoff, kAttemptFailed, kBackoff);
  }

  void advance(Steady now) {
    for (auto* heap : {&backing_off, &backing_off_after_error}) {
      while (!heap->empty() && heap->top()->backoff_end <= now) {
        auto& entry = *heap->top();
        if (!options.pop_from_backoff) {
          enqueue(entry, now, kBackoffComplete, kNoQueue);
          continue;
        }
        detach(entry);
        activate(entry, now, kBackoffComplete, kNoQueue);
      }
    }
    for (auto* heap : {&unschedulable, &gated}) {
      while (!heap->empty() && heap->top()->flush_at <= now) {
        auto& entry = *heap->top();
        entry.queued.was_flushed = true;
        entry.flushed_at = now;
        wake(entry, now, kUnschedulableTimeout);
      }
    }
  }

  std::optional<Steady> next_wakeup() const {
    std::optional<Steady> next;
    const auto at = [&](Steady time) { next = next ? std::min(*next, time) : time; };
    if (!backing_off.empty()) at(backing_off.top()->backoff_end);
    if (!backing_off_after_error.empty()) at(backing_off_after_error.top()->backoff_end);
    if (!unschedulable.empty()) at(unschedulable.top()->flush_at);
    if (!gated.empty()) at(gated.top()->flush_at);
    return next;
  }

  const QueueOptions options;
  const WaitingPods::ProfileOf profile_of;
  const cluster::Snapshot empty;
  const cluster::Snapshot& snapshot;
  std::unordered_map<std::string, std::unique_ptr<Entry>, TextHash, std::equal_to<>> entries;  // by UID
  IndexedHeap<Entry, MoreUrgent> active;
  IndexedHeap<Entry, BacksOffLess> backing_off, backing_off_after_error;
  IndexedHeap<Entry, FlushedEarlier> unschedulable, gated;
  std::size_t in_flight = 0;
  std::uint64_t sequence = 0;
  WaitingPods waiting;
  EventLog log;
  Tallies tallies;
};

SchedulingQueue::SchedulingQueue(QueueOptions options,
                                 std::function<const framework::Profile*(std::string_view)> profile_of,
                                 const cluster::Snapshot* snapshot)
    : impl_(std::make_unique<Impl>(options, std::move(profile_of), snapshot)) {}
SchedulingQueue::~SchedulingQueue() = default;

void SchedulingQueue::upsert(cluster::PodInfoPtr pod, Steady now) {
  if (auto* entry = impl_->find(pod->pod->meta.uid)) {
    impl_->update(*entry, std::move(pod), now);
  } else {
    impl_->add(std::move(pod), now);
  }
}

void SchedulingQueue::refresh(cluster::PodInfoPtr pod) {
  auto* entry = impl_->find(pod->pod->meta.uid);
  if (entry && entry->state == State::in_flight) entry->queued.pod = std::move(pod);
}

void SchedulingQueue::remove(std::string_view uid) {
  auto* entry = impl_->find(uid);
  if (!entry) return;
  if (entry->state == State::in_flight) {
    entry->removed = true;
  } else {
    impl_->erase(*entry);
  }
}

std::optional<QueuedPod> SchedulingQueue::pop(Steady now) {
  impl_->advance(now);
  return impl_->pop();
}

void SchedulingQueue::done(std::string_view uid) {
  auto* entry = impl_->find(uid);
  if (entry && entry->state == State::in_flight) impl_->erase(*entry);
}

void SchedulingQueue::requeue(QueuedPod pod, std::set<std::string> rejected_by, Steady now) {
  impl_->requeue(std::move(pod), std::move(rejected_by), now);
}

void SchedulingQueue::hold(std::string_view uid) {
  if (auto* entry = impl_->find(uid); entry && entry->state == State::in_flight) entry->held = true;
}

void SchedulingQueue::release(std::string_view uid) {
  if (auto* entry = impl_->find(uid)) entry->held = false;
}

void SchedulingQueue::activate(std::string_view uid, Steady now) {
  if (auto* entry = impl_->find(uid)) impl_->activate_now(*entry, now);
}

void SchedulingQueue::back_off(std::string_view uid, Steady now) {
  if (auto* entry = impl_->find(uid)) impl_->back_off(*entry, now);
}

void SchedulingQueue::on_event(const ClusterEvent& event, Steady now, const PreCheck& pre_check) {
  impl_->on_event(event, now, pre_check);
}

void SchedulingQueue::move_all(Steady now) { impl_->move_all(ClusterEvent{}, now); }

std::optional<Steady> SchedulingQueue::next_wakeup() const { return impl_->next_wakeup(); }

void SchedulingQueue::advance(Steady now) { impl_->advance(now); }

QueueCounts SchedulingQueue::counts() const {
  return {impl_->active.size(),
          impl_->backing_off.size() + impl_->backing_off_after_error.size(),
          impl_->unschedulable.size(),
          impl_->gated.size(),
          impl_->in_flight,
          impl_->log.size()};
}

const Tallies& SchedulingQueue::tallies() const { return impl_->tallies; }

void SchedulingQueue::each_in_flight_event(
    const std::function<void(std::string_view, std::size_t)>& visit) const {
  impl_->log.each_kind(
      [&](std::size_t slot, std::size_t number) { visit(framework::event_label(slot), number); });
  visit("PodPopped", impl_->in_flight);
}

void SchedulingQueue::each(const std::function<void(const QueuedPod&)>& visit) const {
  for (const auto& [uid, entry] : impl_->entries) {
    if (!entry->removed) visit(entry->queued);
  }
}

bool SchedulingQueue::is_gated(std::string_view uid) const {
  const auto* entry = impl_->find(uid);
  return entry && entry->state == State::gated;
}

const QueuedPod* SchedulingQueue::find(std::string_view uid) const {
  const auto* entry = impl_->find(uid);
  return entry && !entry->removed ? &entry->queued : nullptr;
}

}  // namespace podium::queue
