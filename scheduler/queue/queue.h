// SchedulingQueue: the pods that wait, after kube-scheduler's rules.
//
//   add ──▶ active ──pop──▶ in flight ──done──▶ out          A pod is in one of these places, or nowhere.
//    │        ▲  ▲              │ requeue
//    ▼        │  └─ backoff ◀───┤ an event that came meanwhile may help, or the attempt failed otherwise
//  gated ─────┘        ▲        ▼
//  (PreEnqueue)        └── unschedulable        until a rejecting plugin's hint finds an event helpful, or flush
//
// Active pods are popped by priority, then by the time they came back last. A backoff is initial *
// 2^(failures-1), at most max, and ends with the whole second that it falls into, so that priority decides
// among the pods of that second. When no pod is active, pop() takes the one whose backoff ends first
// (SchedulerPopFromBackoffQ), unless its last attempt failed for another reason than fit: that backoff
// protects the API server. With that gate off, no backoff is cut short or rounded, and PreEnqueue is asked
// once the backoff is over. Gated pods wait for a change of their own. Events that arrive while a pod is in
// flight are kept for it, so none is lost; the memory for them is bounded.
//
// Owner and thread rule: the scheduling strand; no locks. Time comes in as an argument; nothing here reads a
// clock. Cost: O(log n) for what touches one pod; an event looks at the pods of the plugins that listen to
// it, and at no others.
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
  Steady first_queued{};                  // active for the first time; for the latency metric
  Steady last_queued{};                   // when it was added, or came back last; for the order among equals
  std::set<std::string> rejected_by;      // plugins of the last attempt, or the one that gates it
  std::uint32_t unschedulable_count = 0;  // attempts that found no node; decides the backoff
  std::uint32_t consecutive_errors = 0;   // attempts in a row that failed for another reason; if any, they
                                          // decide it
  bool was_flushed = false;               // its present attempt is owed to the flush, and to no event
};

struct QueueOptions {
  std::chrono::milliseconds initial_backoff{1000}, max_backoff{10000};  // max 0: no backoff
  std::chrono::milliseconds flush_after{300'000};  // unschedulable for as long: try again
  bool pop_from_backoff = true;                    // SchedulerPopFromBackoffQ
  std::size_t max_in_flight_events = 65'536;       // beyond, pods that missed some are tried again
};

struct QueueCounts {
  std::size_t active = 0, backoff = 0, unschedulable = 0, gated = 0, in_flight = 0;
  std::size_t in_flight_events = 0;
  bool operator==(const QueueCounts&) const = default;
};

class SchedulingQueue {
 public:
  // `profile_of` resolves a pod's schedulerName; pods of other schedulers are never given to the queue.
  // Profiles outlive the queue.
  SchedulingQueue(QueueOptions options,
                  std::function<const framework::Profile*(std::string_view)> profile_of);
  ~SchedulingQueue();

  // A pod that is known already is updated.
  void add(cluster::PodInfoPtr pod, Steady now);
  // A pending pod's new state. What changed may make it schedulable, as the hints of the plugins say that
  // turned it down. One in flight will come back with it. A pod that is not known is added.
  void update(cluster::PodInfoPtr pod, Steady now);
  // The newer state of a pod in flight whose change is no event: it has been given a node, and the change is
  // the scheduler's own, or comes too late for the decision.
  void refresh(cluster::PodInfoPtr pod);
  // One in flight will not come back.
  void remove(std::string_view uid);

  // The next pod to schedule, marked in flight; nullopt when there is none. What is due by `now` is done
  // first.
  std::optional<QueuedPod> pop(Steady now);
  // Ends a pod's flight: done() when it was placed or is gone; requeue() when the attempt failed. Without
  // rejecting plugins it failed for another reason than fit, and is tried again after a backoff whatever
  // happens.
  void done(std::string_view uid);
  // Also takes back a pod whose flight has ended, because its binding failed.
  void requeue(QueuedPod pod, std::set<std::string> rejected_by, Steady now);

  // A pod that is held, from its flight on, is not tried whatever happens: pods are being evicted for it.
  // Events pass it by until it is released; it waits for those that follow. Upstream's DefaultPreemption does
  // this as a PreEnqueue plugin; that plugin's own hint never wakes a pod, the ones of the plugins that
  // turned it down do.
  void hold(std::string_view uid);
  void release(std::string_view uid);
  // A pod that waits is tried at once, backoff or not; one in flight after its backoff, should it come back.
  void activate(std::string_view uid, Steady now);
  // What was to follow a pod's last attempt has failed: it is tried after a backoff from now on, as long as
  // that of the attempt, whatever happens. One in flight comes back to its backoff.
  void back_off(std::string_view uid, Steady now);

  // A change of the cluster. Moves the pods whose hints say that it may help, and that may gain by it at all;
  // those in flight are not asked that. Null: every pod may.
  using PreCheck = std::function<bool(const cluster::PodInfo&)>;
  void on_event(const framework::ClusterEvent& event, Steady now, const PreCheck& pre_check = nullptr);
  // Something no hint covers (a relist, a changed configuration): every pod that is not gated gets another
  // try.
  void move_all(Steady now);
  // The time of the next thing that time alone brings (a backoff's end, the flush); nullopt: none.
  std::optional<Steady> next_wakeup() const;
  void advance(Steady now);  // does what is due by `now`

  // Whether a PreEnqueue plugin keeps the pod out.
  bool is_gated(std::string_view uid) const;
  QueueCounts counts() const;
  const Tallies& tallies() const;
  // Calls `visit` with each kind of event that has ever been kept for pods in flight, and how many are.
  void each_in_flight_event(
      const std::function<void(std::string_view label, std::size_t number)>& visit) const;
  void each(const std::function<void(const QueuedPod&)>& visit) const;  // queued or in flight
  const QueuedPod* find(std::string_view uid) const;  // queued or in flight; valid until the queue is called
                                                      // again

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::queue
