// SchedulingQueue: the pods that wait to be scheduled, by kube-scheduler's rules.
//
//   add ──▶ active ──pop──▶ in flight ──done──▶ out        A pod has exactly one of these states.
//    │        ▲  ▲              │ requeue
//    ▼        │  └─ backoff ◀───┤ an event during the flight may help, or the attempt failed with an error
//  gated ─────┘        ▲        ▼
//  (PreEnqueue)        └── unschedulable     until a rejecting plugin's hint accepts an event, or the flush
//
// pop() returns active pods by priority, then by last_queued. A backoff is initial * 2^(failures-1), at most
// max, and ends with the whole second that it falls into, so pods of one second are ordered by priority. If
// no pod is active, pop() takes the pod whose backoff ends first (SchedulerPopFromBackoffQ), unless its last
// attempt failed with an error: that backoff protects the API server. With the gate off, no backoff is cut
// short or rounded, and PreEnqueue runs when the backoff ends. A gated pod waits for its own update, for
// events that its plugin hints at, or for the flush. Events during a flight are stored, in bounded memory.
//
// Owner: the scheduling strand. Threads: the scheduling strand; no locks. The caller passes the time. Errors:
// none; calls for unknown pods have no effect. Cost: O(log n) per pod; an event visits only pods of plugins
// that listen to it.
// Source: pkg/scheduler/backend/queue (scheduling_queue.go, active_queue.go, backoff_queue.go).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "scheduler/framework/events.h"
#include "scheduler/framework/profile.h"
#include "scheduler/queue/tallies.h"

namespace podium::queue {

struct QueuedPod {
  cluster::PodInfoPtr pod;
  std::uint32_t attempts = 0;             // pops so far
  Steady first_queued{};                  // first time active; for the latency metric
  Steady last_queued{};                   // when it was added or last requeued; orders equal priorities
  std::set<std::string> rejected_by;      // plugins that rejected the last attempt, or the gating ones
  std::uint32_t unschedulable_count = 0;  // attempts that found no node; sets the backoff
  std::uint32_t consecutive_errors = 0;   // failures in a row by error; if not 0, sets the backoff
  bool was_flushed = false;               // the flush, not an event, caused this attempt
};

struct QueueOptions {
  std::chrono::milliseconds initial_backoff{1000}, max_backoff{10000};  // max 0: no backoff
  std::chrono::milliseconds flush_after{300'000};  // retry pods that are unschedulable or gated for this long
  bool pop_from_backoff = true;                    // SchedulerPopFromBackoffQ
  std::size_t max_in_flight_events = 65'536;       // on overflow, pods that missed events are retried
};

struct QueueCounts {
  std::size_t active = 0, backoff = 0, unschedulable = 0, gated = 0, in_flight = 0;
  std::size_t in_flight_events = 0;
  bool operator==(const QueueCounts&) const = default;
};

class SchedulingQueue {
 public:
  // `profile_of` resolves a pod's schedulerName. Pods of other schedulers must not be added. Profiles must
  // outlive the queue. `snapshot`: what PreEnqueue plugins and hints see; it outlives the queue. Null: an
  // empty one.
  SchedulingQueue(QueueOptions options, std::function<const framework::Profile*(std::string_view)> profile_of,
                  const cluster::Snapshot* snapshot = nullptr);
  ~SchedulingQueue();

  // Adds a pending pod, or stores the new version of a known one. Then an unschedulable pod is retried if a
  // hint of a rejecting plugin accepts the change, and a gated pod runs PreEnqueue again.
  void upsert(cluster::PodInfoPtr pod, Steady now);
  // Stores a new version of a pod in flight without an event, for a pod with a chosen node: the change is the
  // scheduler's own, or too late for the decision.
  void refresh(cluster::PodInfoPtr pod);
  // A pod in flight is dropped when it is requeued.
  void remove(std::string_view uid);

  // The next pod to schedule, now in flight; nullopt if there is none. Calls advance(now) first.
  std::optional<QueuedPod> pop(Steady now);
  // Ends a pod's flight because it was placed or deleted.
  void done(std::string_view uid);
  // Ends a pod's flight because the attempt failed. An empty `rejected_by` means an error: the pod is retried
  // after a backoff without waiting for an event. Also adds a pod whose flight has ended: a binding may fail
  // after done().
  void requeue(QueuedPod pod, std::set<std::string> rejected_by, Steady now);

  // Holds a pod in flight while its victims are being evicted: it is not tried until released, and then waits
  // for later events. Has no effect on pods that are not in flight. Upstream's DefaultPreemption does this as
  // a PreEnqueue plugin; its own hint never wakes a pod, the hints of the rejecting plugins do.
  void hold(std::string_view uid);
  void release(std::string_view uid);
  // Makes a pod in backoff or unschedulable active, if PreEnqueue admits it. A pod in flight is retried after
  // its backoff if it is requeued. No effect on gated and held pods.
  void activate(std::string_view uid, Steady now);
  // A step after the pod's last attempt failed: restarts that attempt's backoff from now, after which the pod
  // is retried. pop() does not cut it short. A pod in flight goes to backoff when it is requeued.
  void back_off(std::string_view uid, Steady now);

  // A change of the cluster. Moves each pod for which a hint accepts the event and `pre_check` returns true
  // (null: always); does not check pods in flight, for which the event is stored.
  using PreCheck = std::function<bool(const cluster::PodInfo&)>;
  void on_event(const framework::ClusterEvent& event, Steady now, const PreCheck& pre_check = nullptr);
  // For changes that no hint covers (a relist, a new configuration): retries every pod, also gated ones.
  void move_all(Steady now);
  // The next time at which advance() has work (end of a backoff, flush); nullopt: never.
  std::optional<Steady> next_wakeup() const;
  void advance(Steady now);  // ends backoffs and flushes pods due by `now`

  // True if a PreEnqueue plugin keeps the pod out of the queue.
  bool is_gated(std::string_view uid) const;
  QueueCounts counts() const;
  const Tallies& tallies() const;
  // Visits each kind of event ever stored for pods in flight, with the number stored now.
  void each_in_flight_event(
      const std::function<void(std::string_view label, std::size_t number)>& visit) const;
  void each(const std::function<void(const QueuedPod&)>& visit) const;  // queued or in flight
  // Queued or in flight; null if unknown. Valid until the next call that changes the queue.
  const QueuedPod* find(std::string_view uid) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::queue
