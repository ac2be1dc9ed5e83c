// BindingCycle: from a decision to a bound pod, or back to the queue: one state machine a pod.
//
//   assume, Reserve, Permit ─▶ (permit wait) ─▶ PreBind: write …, wait until ready ─▶ bind ─▶ PostBind
//              └────────────────────┴──────────────────┴──────────────────────────┴─▶ a failure: Unreserve
//                                                            in reverse, forget, back to the queue
//
// A pod that is deleted, or placed by somebody else, on the way ends as soon as no request of its own is
// under way. The assumption of a pod ends with its binding cycle; it never expires by time, except that waits
// have their timeouts.
//
// Owner and thread rule: the Scheduler's, on the scheduling strand. Time comes in through the Clock; what
// time alone brings is done by advance(). Plugins that allow or reject pods through the Handle change nothing
// before they have returned: what is to be done then is kept in a list that each function works off at its
// end.
// Errors: none leave.
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

#include "base/clock.h"
#include "scheduler/cluster/hash.h"
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
    // What the end of an assumption means to others, and not to the pod itself; reaches on_event() as well.
    std::function<void(const framework::ClusterEvent&)> tell;
    std::function<void()> wake;
  };
  explicit BindingCycle(Parts parts);
  ~BindingCycle() override;

  // Takes a pod that is in flight in the queue, and that fits on the row.
  void begin(queue::QueuedPod queued, cluster::Row row, const framework::Profile& profile, Steady began);

  // --- what comes back ---
  void write_ended(const std::string& uid, WriteOutcome outcome);
  void binding_in_doubt(const std::string& uid);
  void binding_ended(const std::string& uid, const BindOutcome& outcome);
  void on_event(const framework::ClusterEvent& event);  // the snapshot has it already
  void advance(Steady now);                             // the waits that are over
  std::optional<Steady> next_wakeup() const;

  // --- what the watch tells of a pod that is here; false: it is not ---
  bool knows(std::string_view uid) const { return find(uid) != nullptr; }
  cluster::PodInfoPtr pod(std::string_view uid) const;  // as the watch told it last; null: it is not here
  bool updated(const cluster::PodInfoPtr& pod);         // still pending
  // It is gone, on its way out, or on a node: its binding comes to nothing. The caller answers for the
  // snapshot.
  bool gone(std::string_view uid);
  bool is_gone(std::string_view uid) const;

  // Gives up a pod that is not being bound yet, for another that needs its room, as this plugin has found; it
  // is tried again. False: too late.
  bool preempt(std::string_view uid, std::string_view plugin);
  // Ends what only waits; what the API server has been asked for comes to its end.
  void stop();

  std::size_t size() const { return pods_.size(); }
  std::size_t requests() const { return requests_; }  // writes and bindings under way, but for those in doubt
  std::size_t in_doubt() const { return in_doubt_; }  // bindings

  // --- Handle ---
  void each_waiting_pod(const std::function<void(const framework::AssumedPod&)>& visit) const override;
  std::vector<std::string> pending_plugins(std::string_view uid) const override;
  void allow(std::string_view uid, std::string_view plugin) override;
  bool reject(std::string_view uid, std::string_view plugin, std::string message) override;

 private:
  struct Pod;
  struct Failure;
  using PodPtr = std::unique_ptr<Pod>;

  Pod* find(std::string_view uid) const;
  static Failure failure_at(std::string_view point, const framework::PlacementFailure& failure);
  std::optional<Failure> reserve(Pod& pod);
  std::optional<Failure> permit(Pod& pod);
  std::optional<Failure> pre_flight(Pod& pod);
  void look_again(std::string_view uid);
  void settle();
  void settle(Pod& pod);
  void end_permit(Pod& pod);
  void pre_bind(Pod& pod);
  void next_write(Pod& pod);
  void await_ready(Pod& pod);
  void bind(Pod& pod);
  void fail(Pod& pod, Failure failure);
  void end(Pod& pod, const std::string& why);
  void put_back(Pod& pod);
  PodPtr take(Pod& pod);
  std::optional<framework::ClusterEvent> forget(const Pod& pod);
  void set_deadline(Pod& pod, std::optional<Steady> deadline);
  void enter(Pod& pod, std::string_view point, std::string_view status_of_last = "Success");

  Parts parts_;
  boost::unordered_flat_map<std::string, PodPtr, cluster::TextHash, std::equal_to<>> pods_;  // by UID
  std::set<std::pair<Steady, std::string>> deadlines_;  // of pods that wait
  std::set<std::string> waiting_, pre_binding_;         // for a permit; until ready
  std::deque<std::string> to_settle_;
  bool settling_ = false, stopping_ = false;
  std::size_t requests_ = 0, in_doubt_ = 0;
};

}  // namespace podium::cycle
