// What the scheduler asks of the world: to bind a pod, to write what its plugins want written before, to make
// room for one, to tell people about it, and to decide where extenders have a say. The app gives it the API
// server and the extenders; tests give it fakes.
//
// Threads: all are called on the scheduling strand and return at once.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/cluster/pod_info.h"
#include "scheduler/framework/lifecycle.h"
#include "scheduler/framework/profile.h"

namespace podium::cycle {

enum class BindEnd : std::uint8_t {
  bound,      // the API server has it on our node
  elsewhere,  // somebody else placed it, or it is gone or was replaced: the watch tells the rest
  rejected,   // it is still pending; try again later
  not_sent,   // this process has lost the right to write before it was sent: nothing is said of the pod
  unknown,    // it was sent, and may not be asked about any more, for the scheduler is stopping
};

struct BindOutcome {
  BindEnd end = BindEnd::rejected;
  std::string error;  // for people; empty when bound
};

// Decides on pods that somebody outside has a say in: HTTP extenders.
class Consultant {
 public:
  virtual ~Consultant() = default;
  virtual bool applies_to(const api::Pod& pod) const = 0;
  // Decides on the fork; ends in Scheduler::decided(), on the strand, exactly once.
  virtual void decide(cluster::PodInfoPtr pod, cluster::Snapshot fork, const framework::Profile& profile,
                      std::size_t start) = 0;
};

class Binder {
 public:
  virtual ~Binder() = default;
  // Binds the pod, by UID, to the node; ends in Scheduler::binding_ended, on the strand, exactly once. Before
  // that, Scheduler::binding_in_doubt may say once that it may take long.
  virtual void bind(cluster::PodInfoPtr pod, std::string node) = 0;
};

// Whom a pod needs gone from a node.
struct PreemptionOrder {
  std::uint64_t number = 0;
  cluster::PodInfoPtr preemptor;
  std::string node;
  std::vector<cluster::PodInfoPtr> victims;      // to be deleted; most important first
  std::vector<cluster::PodInfoPtr> to_withdraw;  // less important pods that lose their nomination to the node
  Steady began{};
};

struct PreemptionOutcome {
  std::vector<cluster::PodInfoPtr> evicted;  // the victims that were deleted; the others were gone already,
                                             // or see error
  std::string error;                         // for people; empty when all victims are on their way out
};

class Preemptor {
 public:
  virtual ~Preemptor() = default;
  // Evicts the victims; ends in Scheduler::preemption_ended, on the strand, exactly once, and not within this
  // call.
  virtual void preempt(PreemptionOrder order) = 0;
};

struct WriteOutcome {
  std::optional<boost::json::value> object;  // as the API server has it now; nullopt: not written
  std::string error;                         // why not
};

class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  // Makes a change that a PreBind plugin wants for this pod; ends in Scheduler::write_ended, on the strand,
  // exactly once.
  virtual void write(std::string pod_uid, framework::ObjectWrite write) = 0;
};

class Nominator {
 public:
  virtual ~Nominator() = default;
  // status.nominatedNodeName, for others to see where the pod will be; empty: nowhere any more. Written in
  // order.
  virtual void nominate(const cluster::PodInfo& pod, std::string node) = 0;
  // What is not written yet need not be: the pod is bound.
  virtual void forget(const std::string& pod_uid) = 0;
};

class Announcer {
 public:
  virtual ~Announcer() = default;
  virtual void scheduled(const cluster::PodInfo& pod, std::string_view node) = 0;
  // `reason` is the condition's: "Unschedulable" or "SchedulerError"; gated pods are not announced.
  // `nominated_node` is what status.nominatedNodeName is to become, "" to clear it; nullopt leaves it alone.
  virtual void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
                      const std::optional<std::string>& nominated_node) = 0;
  // `deleted`: from the API server; else the victim was not on its node yet, and is tried again.
  virtual void preempted(const cluster::PodInfo& victim, const cluster::PodInfo& preemptor,
                         std::string_view node, bool deleted) = 0;
  // Its turn has come, but it is on its way out and is not tried.
  virtual void skipped(const cluster::PodInfo& pod) = 0;
};

}  // namespace podium::cycle
