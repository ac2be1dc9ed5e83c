// Scheduler: takes a pod from the queue, decides, and has it bound.
//
//   queue.pop ─▶ evaluate ─▶ fits ─▶ BindingCycle: assume (the snapshot counts it), …, bind ─▶ done
//                   │                     └─▶ failed: forget, back to the queue
//                   └─▶ does not fit: condition, event, back to the queue until an event that may help;
//                       where preemption helps: nominated, and held until the victims are on their way
//                       (Preemptor::preempt)
//
// An assumption ends when the watch shows the pod on a node (the truth replaces it), when the binding was
// rejected, or when the pod is gone; it never expires by time, since a slow binding may still succeed.
//
// Owner and thread rule: the scheduling strand; no locks, no waiting. It is stepped: step() does one pod,
// whoever owns the strand calls it as long as it says so and again at next_wakeup(). Time comes in through
// the Clock only.
// Errors: none leave; a failed attempt is announced and retried.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "scheduler/config/config.h"
#include "scheduler/cycle/binding_cycle.h"
#include "scheduler/cycle/metrics.h"
#include "scheduler/cycle/preemptions.h"
#include "scheduler/cycle/seams.h"
#include "scheduler/cycle/stop_watch.h"
#include "scheduler/framework/recorder.h"
#include "scheduler/queue/queue.h"

namespace podium::cycle {

class Scheduler {
 public:
  struct Parts {
    const config::Config& config;
    Clock& clock;
    Binder& binder;
    Preemptor& preemptor;
    ObjectWriter& writer;
    Nominator& nominator;
    Announcer& announcer;
    framework::Recorder& recorder;
    Metrics& metrics;
    Consultant* consultant = nullptr;  // null: no extenders
  };

  // Requests of binding cycles that may be under way at once; at this bound step() takes no pod. Pods that
  // wait for a permit or for their volumes have none.
  static constexpr std::size_t kMaxBindings = 512;
  // Bindings in doubt do not count as those, up to this many: scheduling goes on meanwhile.
  static constexpr std::size_t kMaxInDoubt = 4'096;

  explicit Scheduler(Parts parts);

  // --- the cycle ---
  bool step();  // schedules one pod; false: nothing to do now
  std::optional<Steady> next_wakeup() const;
  // What the Consultant found. Until then no other pod is scheduled, as upstream does it, but events go on.
  void decided(framework::Decision decision);
  bool consulting() const { return consultation_.has_value(); }
  void binding_in_doubt(const std::string& uid) { cycle_.binding_in_doubt(uid); }
  void binding_ended(const std::string& uid, const BindOutcome& outcome) {
    cycle_.binding_ended(uid, outcome);
  }
  void write_ended(const std::string& uid, WriteOutcome outcome) {
    cycle_.write_ended(uid, std::move(outcome));
  }
  std::size_t bindings() const {
    return cycle_.size();
  }  // pods between decision and bind, waiting ones included
  // Gives up a pod that has been decided upon and is not being bound yet; it is tried again. False: there is
  // none.
  bool preempt(std::string_view uid, std::string_view plugin) { return cycle_.preempt(uid, plugin); }
  void preemption_ended(const PreemptionOrder& order, const PreemptionOutcome& outcome);
  std::size_t preemptions() const { return preemptions_.size(); }
  // Bindings, preemptions and a consultation that have been started and have not ended.
  std::size_t under_way() const { return bindings() + preemptions() + (consulting() ? 1 : 0); }
  // The end is near: pods that only wait are given up, so that bindings() comes down to those with a request
  // under way.
  void stop() { cycle_.stop(); }
  // What metrics do not count as it happens; before anybody looks at them.
  void tell_metrics();
  // Told whenever there may be work for step().
  void on_work(std::function<void()> wake) { wake_ = std::move(wake); }

  // --- what changes in the cluster; see ClusterFeed ---
  void pod_added_or_updated(cluster::PodInfoPtr pod);
  void pod_deleted(const std::string& uid);
  void node_added_or_updated(api::NodePtr node);
  void node_deleted(const std::string& name);
  // Any other kind: `after` is monostate for a delete. The caller has applied it to snapshot().objects().
  void object_changed(framework::ClusterEvent event);

  cluster::Snapshot& snapshot() { return snapshot_; }
  // All pods that are not at their end, also those of other schedulers.
  std::vector<cluster::PodInfoPtr> pods() const;
  // What plugins are handed as well: the pods that wait for a permit.
  framework::Handle& waiting_pods() { return cycle_; }
  const queue::SchedulingQueue& queue() const { return queue_; }

 private:
  // A pod whose decision is made elsewhere.
  struct Consultation {
    queue::QueuedPod queued;
    cluster::Snapshot snapshot;  // what it is decided on
    Steady began{};
  };

  bool is_full() const;
  PluginCalls& calls_of(const framework::Profile& profile);
  void conclude(queue::QueuedPod queued, framework::Decision decision, const cluster::Snapshot& decided_on,
                Steady began);
  void turn_down(queue::QueuedPod queued, const framework::Decision& decision);
  std::optional<PreemptionOrder> order_of(const cluster::PodInfoPtr& pod,
                                          const framework::Preemption& preemption);
  const cluster::PodInfoPtr* find_on(std::string_view node, std::string_view uid) const;
  bool is_pending(const std::string& uid) const;
  void victim_leaves(const std::string& uid);
  void displace(const std::string& uid);
  void assigned_pod(cluster::PodInfoPtr pod);
  void pending_pod(cluster::PodInfoPtr pod);
  void renominate(const cluster::PodInfoPtr& pod);
  void nomination_ends(const cluster::PodInfoPtr& before);
  void assumption_ended(const framework::ClusterEvent& event);
  void cluster_event(const framework::ClusterEvent& event);
  void hear(const framework::ClusterEvent& event,
            const queue::SchedulingQueue::PreCheck& pre_check = nullptr);
  void taken_in(framework::Resource resource, std::uint32_t actions);
  void wake() {
    if (wake_) wake_();
  }

  Parts parts_;
  cluster::Snapshot snapshot_;
  queue::SchedulingQueue queue_;
  BindingCycle cycle_;
  boost::unordered_flat_set<std::string> assumed_;  // UIDs that we have placed and the watch has not told of
                                                    // yet
  boost::unordered_flat_map<std::string, cluster::PodInfoPtr> of_others_;  // pending, by UID
  std::size_t next_start_ = 0;  // where the next search for nodes starts
  std::optional<Consultation> consultation_;
  Preemptions preemptions_;
  std::vector<PluginCalls> plugin_calls_;  // of each profile
  Steady change_began_{};                  // of the change of the cluster that is being taken in
  std::function<void()> wake_;
};

}  // namespace podium::cycle
