// The scheduler's interfaces to the outside: Binder (bindings), ObjectWriter (PreBind writes),
// Preemptor (evictions), Nominator and Announcer (pod status, events) and Consultant (HTTP
// extenders). scheduler/live and scheduler/extender implement them; tests use fakes.
//
// Owner: the Engine, or a test; all outlive the Scheduler. Threads: called on the scheduling strand;
// no call blocks. Errors: reported through the Scheduler's callback that each function names.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "scheduler/cluster/pod_info.h"
#include "scheduler/framework/object_write.h"

namespace podium::cluster {
class Snapshot;
}
namespace podium::framework {
struct Profile;
}

namespace podium::cycle {

inline constexpr auto kStopping = "the scheduler is stopping";  // an outcome's error

enum class BindEnd : std::uint8_t {
  bound,      // the pod is on the requested node
  elsewhere,  // the pod is on another node, gone or replaced; the watch delivers its state
  rejected,   // the pod is still pending; retry later
  not_sent,   // this process lost the right to write before it sent the request; not a failure of the pod
  unknown,    // the request was sent, and its result cannot be determined: the scheduler is stopping
};

struct BindOutcome {
  BindEnd end = BindEnd::rejected;
  std::string error;         // for people; empty when bound
  std::string version = {};  // the resourceVersion of the pod that was read; empty: none was
};

// The current state of a pod on the API server.
struct PodRead {
  enum class End : std::uint8_t { found, gone, failed };
  End end = End::failed;
  cluster::PodInfoPtr pod{};     // found, under the same name: it may have another UID
  std::optional<Error> error{};  // failed: the cause; nullopt: the object that was read is not a pod
};

// Decides on pods that HTTP extenders are interested in.
class Consultant {
 public:
  virtual ~Consultant() = default;
  virtual bool applies_to(const api::Pod& pod) const = 0;
  // Decides on the fork; calls Scheduler::decided() on the strand, exactly once. `start`: node index
  // at which the search starts.
  virtual void decide(cluster::PodInfoPtr pod, cluster::Snapshot fork, const framework::Profile& profile,
                      std::size_t start) = 0;
};

class Binder {
 public:
  virtual ~Binder() = default;
  // Binds the pod, by UID, to the node; calls Scheduler::binding_ended() on the strand, exactly
  // once. Before that it may call Scheduler::binding_in_doubt() once: the result is uncertain and
  // may take long.
  virtual void bind(cluster::PodInfoPtr pod, std::string node) = 0;
  // Reads the pod of a binding that the API server confirmed and that no watch has shown: the pod as it is
  // assumed, on its node. Calls Scheduler::bound_pod_read() on the strand, exactly once.
  virtual void read(cluster::PodInfoPtr pod) = 0;
};

// The evictions that a preemptor needs on a node.
struct PreemptionOrder {
  std::uint64_t number = 0;
  cluster::PodInfoPtr preemptor;
  std::string node;
  std::vector<cluster::PodInfoPtr> victims;      // to be deleted; highest priority first
  std::vector<cluster::PodInfoPtr> to_withdraw;  // lower-priority pods that lose their nomination to the node
  Steady began{};
};

struct PreemptionOutcome {
  // The victims that were deleted. The others were already gone, or `error` is set.
  std::vector<cluster::PodInfoPtr> evicted;
  std::string error;      // for people; empty: all victims are terminating or gone
  RequestInfo request{};  // of the error, for logs; may be empty
};

class Preemptor {
 public:
  virtual ~Preemptor() = default;
  // Evicts the victims; calls Scheduler::preemption_ended() on the strand, exactly once,
  // after this returns.
  virtual void preempt(PreemptionOrder order) = 0;
};

struct WriteOutcome {
  std::optional<boost::json::value> object{};  // the object as the API server has it; nullopt: not written
  std::string error{};                         // for people; why it was not written
  RequestInfo request{};                       // of the error, for logs; may be empty
  bool conflict = false;                       // the object has changed since
};

class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  // Executes one API write of a plugin; calls Scheduler::write_ended() on the strand, exactly once. An empty
  // `pod_uid`: no pod waits for it.
  virtual void write(std::string pod_uid, framework::ObjectWrite write) = 0;
};

class Nominator {
 public:
  virtual ~Nominator() = default;
  // Sets status.nominatedNodeName, or clears it if `node` is empty. Writes of one pod stay in order.
  virtual void nominate(const cluster::PodInfo& pod, std::string node) = 0;
  // Drops the pod's pending writes: it is bound or gone.
  virtual void forget(const std::string& pod_uid) = 0;
};

class Announcer {
 public:
  virtual ~Announcer() = default;
  virtual void scheduled(const cluster::PodInfo& pod, std::string_view node) = 0;
  // `reason` is the condition's: "Unschedulable" or "SchedulerError". Gated pods are not announced.
  // `nominated_node` is the new status.nominatedNodeName; "" clears it, nullopt leaves it unchanged.
  virtual void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
                      const std::optional<std::string>& nominated_node) = 0;
  // `deleted`: through the API server. False: the victim was still in the binding cycle and is requeued.
  virtual void preempted(const cluster::PodInfo& victim, const cluster::PodInfo& preemptor,
                         std::string_view node, bool deleted) = 0;
  // A Normal event about a pod that is being bound.
  virtual void noted(const cluster::PodInfo& pod, std::string_view reason, std::string_view note) = 0;
  // The pod was popped but is terminating, so it is not scheduled.
  virtual void skipped(const cluster::PodInfo& pod) = 0;
};

}  // namespace podium::cycle
