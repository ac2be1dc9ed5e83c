// What the scheduler asks of the world: to bind a pod, to tell people about it, and to decide where extenders have a say. The
// app gives it the API server and the extenders; tests give it fakes.
//
// Threads: all are called on the scheduling strand and return at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scheduler/cluster/pod_info.h"
#include "scheduler/framework/profile.h"

namespace podium::cycle {

enum class BindEnd : std::uint8_t {
  bound,      // the API server has it on our node
  elsewhere,  // somebody else placed it, or it is gone or was replaced: the watch tells the rest
  rejected,   // it is still pending; try again later
};

struct BindOutcome {
  BindEnd end = BindEnd::rejected;
  std::string error;  // for people; empty when bound
};

// Decides on pods that somebody outside has a say in: HTTP extenders.
class Consultant {
 public:
  virtual ~Consultant() = default;
  virtual bool has_a_say(const api::Pod& pod) const = 0;
  // Decides on the fork; ends in Scheduler::decided(), on the strand, exactly once.
  virtual void decide(cluster::PodInfoPtr pod, cluster::Snapshot fork, const framework::Profile& profile) = 0;
};

class Binder {
 public:
  virtual ~Binder() = default;
  // Binds the pod, by UID, to the node; ends in Scheduler::binding_ended, on the strand, exactly once.
  virtual void bind(cluster::PodInfoPtr pod, std::string node) = 0;
};

class Announcer {
 public:
  virtual ~Announcer() = default;
  virtual void scheduled(const cluster::PodInfo& pod, std::string_view node) = 0;
  // `reason` is the condition's: "Unschedulable" or "SchedulerError"; gated pods are not announced.
  virtual void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message) = 0;
};

}  // namespace podium::cycle
