// BindingCycle: takes a pod from its decision to its binding, or back to the queue. One state
// machine per pod.
//
//   assume, Reserve, Permit ─▶ (permit wait) ─▶ PreBind: write …, wait until ready ─▶ bind ─▶ PostBind
//              │                    │                  │                          │
//              └────────────────────┴──────────────────┴──────────────────────────┴─▶ on failure:
//                                                     Unreserve in reverse, forget, requeue
//
// A pod that is deleted, or bound by another scheduler, leaves the cycle as soon as none of its
// requests is in flight. The assumption ends with the binding cycle. It has no expiry of its own;
// only the waits (Permit, PreBind) have timeouts.
//
// Owner: Scheduler. Threads: the scheduling strand. Time comes from the Clock; advance() handles
// timeouts. allow() and reject() may be called from within a plugin: they only queue the pod's UID.
// The current entry point settles queued pods before it returns; outside of one, advance() does.
// Errors: none leave; a failed pod is announced and requeued.
// Source: pkg/scheduler/schedule_one.go (prepareForBindingCycle, bindingCycle, handleBindingCycleError).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/text_hash.h"
#include "scheduler/cycle/metrics.h"
#include "scheduler/cycle/seams.h"
#include "scheduler/framework/placement.h"
#include "scheduler/framework/recorder.h"
#include "scheduler/queue/queue.h"

namespace podium::cycle {

class BindingCycle final : public framework::Handle {
 public:
  struct Parts {
    Clock& clock;
    Binder& binder;
    ObjectWriter& writer;
    Nominator& nominator;
    Announcer& announcer;
    framework::Recorder& recorder;
    Metrics& metrics;
    cluster::Snapshot& snapshot;
    queue::SchedulingQueue& queue;
    bool nominates = true;  // NominatedNodeNameForExpectation
    // Called with the delete event of a forgotten assumption. It may help other pods, but not the pod
    // itself. The callee also passes it to on_event().
    std::function<void(const framework::ClusterEvent&)> on_forgotten;
    // The same for what a plugin gave back: the event, and the UID of the pod that had it.
    std::function<void(const framework::ClusterEvent&, const std::string&)> on_given_back;
    // Called with a plugin's change of the snapshot after a write. The callee also passes it to on_event().
    std::function<void(const framework::ClusterEvent&)> on_changed;
    std::function<void()> wake;  // called when step() may have work
  };
  explicit BindingCycle(Parts parts);
  ~BindingCycle() override;

  // What the recorder gets of a decision.
  struct Decided {
    const framework::Attempt& attempt;
    const framework::Decision& decision;
    const cluster::Snapshot& snapshot;
  };
  // Starts the cycle of a pod that is in flight in the queue and fits on the node in `row`. `began`:
  // start of the attempt. Records the decision after the pod's first request, so that this does not delay the
  // binding, and before anything else is recorded or another pod leaves its node.
  void begin(queue::QueuedPod queued, cluster::Row row, const framework::Profile& profile, Steady began,
             const Decided& decided);

  // --- results, events and time ---
  void write_ended(const std::string& uid, WriteOutcome outcome);
  void binding_in_doubt(const std::string& uid);
  void binding_ended(const std::string& uid, const BindOutcome& outcome);
  void on_event(const framework::ClusterEvent& event);  // after the snapshot was updated
  void advance(Steady now);                             // ends the waits that have timed out
  std::optional<Steady> next_wakeup() const;            // when to call advance(); nullopt: no deadline

  // --- watch updates of pods in the cycle; false: the pod is not in the cycle ---
  bool knows(std::string_view uid) const { return find(uid) != nullptr; }
  cluster::PodInfoPtr pod(std::string_view uid) const;  // newest version from the watch; null: not here
  bool updated(const cluster::PodInfoPtr& pod);         // still pending
  // The pod was deleted, is terminating, or is on a node: the cycle stops working on it. The caller
  // updates the snapshot.
  bool pod_gone(std::string_view uid);
  void pod_deleted(std::string_view uid);
  // The watch showed the pod on a node, and now shows it without one: etcd was restored. Its request may
  // still take effect: the pod stays assumed until the request has ended, and is then retried in any case.
  void pending_again(const cluster::PodInfoPtr& pod);
  bool is_gone(std::string_view uid) const;

  // Preempts a pod whose binding was not requested yet, in favour of a pod that `plugin` preempts
  // for; the pod is requeued. False: too late, on a node already, or not in the cycle.
  bool preempt(std::string_view uid, std::string_view plugin);
  // Gives up the pods that only wait. Requests in flight run to their end.
  void stop();

  std::size_t size() const { return pods_.size(); }
  std::size_t requests() const { return requests_; }  // writes and bindings in flight, without those in doubt
  std::size_t in_doubt() const { return in_doubt_; }  // bindings whose result is not known

  // --- Handle ---
  void each_waiting_pod(const std::function<void(const framework::AssumedPod&)>& visit) const override;
  std::vector<std::string> pending_plugins(std::string_view uid) const override;
  void allow(std::string_view uid, std::string_view plugin) override;
  bool reject(std::string_view uid, std::string_view plugin, std::string message) override;
  void send(framework::ObjectWrite write) override;
  void gave_back(framework::ClusterEvent event) override;

 private:
  struct Pod;
  struct Failure;
  using PodPtr = std::unique_ptr<Pod>;

  Pod* find(std::string_view uid) const;
  void record_decision();
  framework::Recorder& recorder();
  static Failure failure_at(std::string_view point, const framework::PlacementFailure& failure);
  std::optional<Failure> reserve(Pod& pod);
  std::optional<Failure> permit(Pod& pod);
  std::optional<Failure> pre_flight(Pod& pod);
  void settle_later(std::string_view uid);
  void settle();
  void settle(Pod& pod);
  void end_permit(Pod& pod);
  void pre_bind(Pod& pod);
  void next_write(Pod& pod);
  void pre_bound(Pod& pod);
  void begin_wait(Pod& pod);
  void wait_on(Pod& pod);
  void await_ready(Pod& pod);
  void record_permits(Pod& pod);
  void record_wait(Pod& pod, framework::Reason wait);
  void count_wait(const Pod& pod, framework::Progress::State end);
  void bind(Pod& pod);
  void fail(Pod& pod, Failure failure);
  void end(Pod& pod, const std::string& why);
  void requeue_unsent(Pod& pod);
  PodPtr take(Pod& pod);
  void unreserve(Pod& pod);
  void announce_given_back(const std::string& uid);
  std::optional<framework::ClusterEvent> forget(const Pod& pod);
  void set_deadline(Pod& pod, std::optional<Steady> deadline);
  void enter(Pod& pod, std::string_view point, std::string_view status_of_last = "Success");

  Parts parts_;
  boost::unordered_flat_map<std::string, PodPtr, TextHash, std::equal_to<>> pods_;  // by UID
  std::set<std::pair<Steady, std::string>> deadlines_;                              // of pods that wait
  // UIDs that wait in Permit; that wait in PreBind; and that wait in PreBind for events.
  std::set<std::string> waiting_, pre_binding_, awaiting_events_;
  std::deque<std::string> to_settle_;  // UIDs
  bool settling_ = false, stopping_ = false;
  bool sends_ = true;                                // false: drops the writes of plugins, see end()
  std::vector<framework::ClusterEvent> given_back_;  // by the last unreserve()
  std::size_t requests_ = 0, in_doubt_ = 0;
  const Decided* unrecorded_ = nullptr;  // the decision of begin()
};

}  // namespace podium::cycle
