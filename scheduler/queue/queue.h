// SchedulingQueue: the pods that wait, after kube-scheduler's rules.
//
// Active pods are popped by priority, then by the time they were first queued. A pod that could not be placed waits in
// `unschedulable` until an event that a rejecting plugin's hint takes for helpful moves it, or the 5-minute flush does; it
// goes by way of `backoff` while its backoff (initial * 2^(attempts-1), at most max) has not passed. Gated pods wait apart.
// Events that arrive while a pod is being scheduled are kept for it (in-flight events), so none is lost.
//
// Owner and thread rule: the scheduling strand; no locks. Time comes in as an argument; nothing here reads a clock.
// Source: pkg/scheduler/backend/queue/scheduling_queue.go.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "scheduler/framework/events.h"
#include "scheduler/framework/profile.h"

namespace podium::queue {

struct QueuedPod {
  cluster::PodInfoPtr pod;
  std::uint32_t attempts = 0;
  Steady first_queued{};                      // for age and for the latency metric
  Steady last_queued{};                       // for the order among equals
  std::set<std::string> rejected_by;          // plugins of the last attempt
  std::uint32_t consecutive_errors = 0;       // attempts that failed for another reason than fit; back off too
};

struct QueueOptions {
  std::chrono::milliseconds initial_backoff{1000}, max_backoff{10000};
  std::chrono::milliseconds flush_after{300'000};  // unschedulable for longer than this: try again
};

struct QueueCounts {
  std::size_t active = 0, backoff = 0, unschedulable = 0, gated = 0, in_flight = 0;
};

class SchedulingQueue {
 public:
  // `profile_of` resolves a pod's schedulerName; pods of other schedulers are never given to the queue.
  SchedulingQueue(QueueOptions options, std::function<const framework::Profile*(std::string_view)> profile_of);
  ~SchedulingQueue();

  void add(cluster::PodInfoPtr pod, Steady now);
  // A pending pod's new state. What changed may make it schedulable; a status update of ours does not.
  void update(cluster::PodInfoPtr pod, Steady now);
  void remove(std::string_view uid);

  // The next pod to schedule, marked in flight; nullopt when none is active. Pods whose backoff has passed are moved first.
  std::optional<QueuedPod> pop(Steady now);
  // Ends a pod's flight: done() when it was placed or is gone; requeue() when the attempt failed.
  void done(std::string_view uid);
  void requeue(QueuedPod pod, std::set<std::string> rejected_by, Steady now);

  // A change of the cluster. Moves the pods whose hints say that it may help.
  void on_event(const framework::ClusterEvent& event, Steady now);
  // Something no hint covers (a relist, a changed configuration): every pod gets another try.
  void move_all(Steady now);
  // The time of the next thing that time alone brings (a backoff's end, the flush); nullopt: none.
  std::optional<Steady> next_wakeup() const;
  void advance(Steady now);  // does what is due by `now`

  QueueCounts counts() const;
  const QueuedPod* find(std::string_view uid) const;  // queued or in flight

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podium::queue
