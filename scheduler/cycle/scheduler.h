// Scheduler: pops a pod from the queue, decides where it goes, and hands it to the binding cycle.
//
//   queue.pop ─▶ evaluate ─▶ fits ─▶ BindingCycle: assume (the snapshot counts it), …, bind ─▶ done
//                   │                     └─▶ on failure: forget, requeue
//                   └─▶ does not fit: condition, event, requeue until an event that may help;
//                       if preemption helps: nominate, and hold until the victims terminate
//                       (Preemptor::preempt)
//
// An assumption ends when the watch shows the pod on a node (the real pod replaces it), when the
// binding was rejected, or when the pod is gone. It does not expire: a slow binding may still succeed.
// A binding that the API server confirmed and that the watch does not show is read (unseen_bindings.h).
//
// Owner: the Engine; the Driver steps it: step() schedules one pod and is called while it returns
// true, and again at next_wakeup() and on_work(). Time comes from the Clock only.
// Threads: the scheduling strand; no locks, and no call blocks.
// Errors: none leave; a failed attempt is announced and retried.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/shares.h"
#include "base/text_hash.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"
#include "scheduler/cycle/binding_cycle.h"
#include "scheduler/cycle/metrics.h"
#include "scheduler/cycle/patience.h"
#include "scheduler/cycle/preemptions.h"
#include "scheduler/cycle/seams.h"
#include "scheduler/cycle/stop_watch.h"
#include "scheduler/cycle/unseen_bindings.h"
#include "scheduler/framework/evaluation_memo.h"
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

  // With this many requests of binding cycles in flight, step() pops no pod. Pods in a Permit or PreBind
  // wait have no request.
  static constexpr std::size_t kMaxBindings = 512;
  // Up to this many bindings in doubt do not count towards kMaxBindings, so that scheduling continues.
  static constexpr std::size_t kMaxInDoubt = 4'096;

  // Preemptions in flight are shared by namespace. A pod without a share is retried after a backoff, so slow
  // evictions hold up neither pods of other namespaces nor pods that need none.
  static constexpr Shares::Bounds kPreemptions{.in_all = 512, .of_one = 128, .reserve = 64};

  explicit Scheduler(Parts parts);

  // --- the cycle ---
  bool step();  // schedules one pod; false: nothing to do now
  std::optional<Steady> next_wakeup() const;
  // The Consultant's decision. Until it arrives no other pod is scheduled, as upstream;
  // events are handled.
  void decided(framework::Decision decision);
  bool consulting() const { return consultation_.has_value(); }
  void binding_in_doubt(const std::string& uid) { cycle_.binding_in_doubt(uid); }
  void binding_ended(const std::string& uid, const BindOutcome& outcome);
  void bound_pod_read(const std::string& uid, const PodRead& read);
  void write_ended(const std::string& uid, WriteOutcome outcome) {
    cycle_.write_ended(uid, std::move(outcome));
  }
  std::size_t bindings() const { return cycle_.size(); }  // pods in the binding cycle, waiting ones included
  // Preempts a pod in the binding cycle whose binding was not requested yet; it is requeued. False:
  // no such pod.
  bool preempt(std::string_view uid, std::string_view plugin) { return cycle_.preempt(uid, plugin); }
  void preemption_ended(const PreemptionOrder& order, const PreemptionOutcome& outcome);
  std::size_t preemptions() const { return preemptions_.size(); }
  // Bindings, preemptions and consultations that have not ended.
  std::size_t in_flight() const { return bindings() + preemptions() + (consulting() ? 1 : 0); }
  // Called at shutdown: gives up the pods that only wait, so that bindings() counts only pods with a
  // request in flight.
  void stop() { cycle_.stop(); }
  // Updates the metrics that are not counted as they happen; call before each collection.
  void publish_metrics();
  // `wake` is called when step() may have work.
  void on_work(std::function<void()> wake) { wake_ = std::move(wake); }

  // --- cluster changes, from ClusterFeed ---
  void pod_added_or_updated(cluster::PodInfoPtr pod);
  void pod_deleted(const std::string& uid);
  // resourceVersions of pods have started again, as after a restore of etcd. A list of all pods follows.
  void pod_versions_restarted() { settled_.clear(); }
  void node_added_or_updated(api::NodePtr node);
  void node_deleted(const std::string& name);
  // Any other kind; `after` is monostate for a delete. The caller has already updated
  // snapshot().objects().
  void object_changed(framework::ClusterEvent event);

  cluster::Snapshot& snapshot() { return snapshot_; }
  // All pods that have not terminated, including those of other schedulers.
  std::vector<cluster::PodInfoPtr> pods() const;
  // The pods of the queue, and those of other schedulers without a node.
  std::vector<cluster::PodInfoPtr> waiting() const;
  // The Handle that plugins get: the pods in Permit wait.
  framework::Handle& waiting_pods() { return cycle_; }
  const queue::SchedulingQueue& queue() const { return queue_; }

 private:
  // The pod that the Consultant decides on.
  struct Consultation {
    queue::QueuedPod queued;
    cluster::Snapshot snapshot;  // the fork that the decision is made on
    Steady began{};
  };

  bool takes_pods() const;  // false: a consultation, or kMaxBindings
  static bool may_search_devices(const cluster::PodInfo& pod);
  PluginCalls& calls_of(const framework::Profile& profile);
  void conclude(queue::QueuedPod queued, framework::Decision decision, const cluster::Snapshot& decided_on,
                Steady began);
  // `share`: of the preemptions in flight; null if the decision has none.
  void handle_scheduling_failure(queue::QueuedPod queued, const framework::Decision& decision,
                                 Shares::Slot share);
  void assume(const api::ResourceClaim& claim);  // as a PostFilter plugin returned it
  std::optional<PreemptionOrder> order_of(const cluster::PodInfoPtr& pod,
                                          const framework::Preemption& preemption, Shares::Slot share);
  const cluster::PodInfoPtr* find_on(std::string_view node, std::string_view uid) const;
  bool is_pending(const std::string& uid) const;
  void victim_leaves(const std::string& uid);
  void rejected_victim_leaves(const std::string& uid);
  void remove_from_node(const std::string& uid);
  void read_unseen(Steady now);
  void assigned_pod(cluster::PodInfoPtr pod);
  void pending_pod(cluster::PodInfoPtr pod);
  void renominate(const cluster::PodInfoPtr& pod);
  void nomination_ends(const cluster::PodInfoPtr& before);
  void assumption_ended(const framework::ClusterEvent& event);
  void dispatch_to_others(const framework::ClusterEvent& event, const std::string& uid);
  void cluster_event(const framework::ClusterEvent& event);
  void dispatch(const framework::ClusterEvent& event,
                const queue::SchedulingQueue::PreCheck& pre_check = nullptr);
  void observe_duration(framework::EventResource resource, std::uint32_t actions);
  void record_gated();
  void wake() {
    if (wake_) wake_();
  }

  Parts parts_;
  cluster::Snapshot snapshot_;
  framework::EvaluationMemo memo_;  // of decisions without extenders
  queue::SchedulingQueue queue_;
  BindingCycle cycle_;
  // UIDs of pods that this process placed and the watch has not shown on a node yet. Those that are back in
  // the queue after a failed binding may stay here: this is harmless, since they are not in the snapshot.
  boost::unordered_flat_set<std::string, TextHash> assumed_;
  // UIDs of pods that the API server has called gone, terminated or on another node, before the watch, with
  // the resourceVersion that was read, or of a pod that is gone the last known one. Older watch events that
  // show them on no node do not bring them back. A newer one does, for a pod that is gone perhaps in vain:
  // else a pod that was wrongly called gone would wait for ever.
  boost::unordered_flat_map<std::string, std::string, TextHash> settled_;
  boost::unordered_flat_map<std::string, cluster::PodInfoPtr, TextHash> pending_of_others_;  // by UID
  std::set<std::string> gated_;  // UIDs of pods that were found gated since the last step
  Patience patience_;            // with searches for devices
  std::size_t next_start_ = 0;   // node index at which the next search starts
  std::optional<Consultation> consultation_;
  Shares preemption_shares_{kPreemptions};  // outlives preemptions_
  Preemptions preemptions_;
  UnseenBindings unseen_;                  // a subset of assumed_
  std::vector<PluginCalls> plugin_calls_;  // of each profile
  Steady change_began_{};                  // of the cluster event in progress
  std::function<void()> wake_;
};

}  // namespace podium::cycle
