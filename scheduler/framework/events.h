// Cluster events and queueing hints: which changes may make a rejected pod schedulable.
//
// An event describes a change of one object, with the object before and after. An EventHint names events
// that may help pods which its plugin rejected; a predicate checks a single event.
// Source: pkg/scheduler/framework types (ClusterEvent, QueueingHintFn). Threads: values, pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/values/object.h"
#include "scheduler/cluster/lazy.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::cluster {
class Snapshot;
}

namespace podium::framework {

enum class EventResource : std::uint8_t {
  assigned_pod,
  unscheduled_pod,  // a pod without a node, for pods other than itself
  target_pod,       // the pod without a node that changed itself
  node,
  namespace_,
  service,
  persistent_volume,
  persistent_volume_claim,
  storage_class,
  csi_node,
  csi_driver,
  csi_storage_capacity,
  volume_attachment,
  resource_claim,
  resource_slice,
  device_class,
  wild_card,
};

// Bits of ClusterEvent::actions.
enum Action : std::uint32_t {
  kAdd = 1 << 0,
  kDelete = 1 << 1,
  kUpdateNodeAllocatable = 1 << 2,
  kUpdateNodeLabel = 1 << 3,
  kUpdateNodeTaint = 1 << 4,      // also spec.unschedulable that was cleared
  kUpdateNodeCondition = 1 << 5,  // status.conditions
  kUpdateNodeAnnotation = 1 << 6,
  kUpdateNodeDeclaredFeature = 1 << 7,
  kUpdatePodLabel = 1 << 8,
  kUpdatePodScaleDown = 1 << 9,  // requests went down
  kUpdatePodScaleUp = 1 << 10,   // requests went up; no plugin listens to it
  kUpdatePodTolerations = 1 << 11,
  kUpdatePodGatesEliminated = 1 << 12,
  kUpdatePodClaims = 1 << 13,  // the claims in the status: generated, or for extended resources
  kUpdateOther = 1 << 14,      // any other update; matches hints for all of kUpdate
  kUpdate = ((1 << 15) - 1) & ~3u,
  kAll = (1 << 15) - 1,
};

// The amounts of a node's or a pod's update, which each rejected pod is compared with.
struct AmountsChanged {
  cluster::Resources before, after;
};

struct ClusterEvent {
  EventResource resource = EventResource::wild_card;
  std::uint32_t actions = kAll;
  api::Object before, after;  // monostate if there is none
  // Computed once for all pods that wait: they may be thousands, and the objects may list as many amounts.
  cluster::Lazy<AmountsChanged> amounts = {};
  cluster::Lazy<std::vector<cluster::HostPort>> ports = {};  // of the pod before
};

// The update actions between two versions of an object; 0 if there are none. Pod-level requests count
// regardless of rules.pod_level: upstream checks no gate here.
std::uint32_t pod_changes(const api::Pod& before, const api::Pod& after,
                          const cluster::RequestRules& rules = {});
std::uint32_t node_changes(const api::Node& before, const api::Node& after);

// True if an event may make a rejected pod fit: a function of both, or of both and of the snapshot at the
// time of the call. Null: always.
class QueueingHint {
 public:
  QueueingHint(std::nullptr_t = nullptr) {}
  template <typename F>
    requires std::is_invocable_r_v<bool, F&, const cluster::PodInfo&, const ClusterEvent&>
  QueueingHint(F helps)
      : helps_([helps = std::move(helps)](const cluster::PodInfo& rejected, const ClusterEvent& event,
                                          const cluster::Snapshot&) { return helps(rejected, event); }) {}
  template <typename F>
    requires std::is_invocable_r_v<bool, F&, const cluster::PodInfo&, const ClusterEvent&,
                                   const cluster::Snapshot&>
  QueueingHint(F helps) : helps_(std::move(helps)) {}

  bool operator()(const cluster::PodInfo& rejected, const ClusterEvent& event,
                  const cluster::Snapshot& snapshot) const {
    return !helps_ || helps_(rejected, event, snapshot);
  }

 private:
  std::function<bool(const cluster::PodInfo&, const ClusterEvent&, const cluster::Snapshot&)> helps_;
};

struct EventHint {
  EventResource resource;
  std::uint32_t actions;
  QueueingHint helps;

  // True if the hint covers the event, whatever `helps` returns.
  // Source: pkg/scheduler/framework/types.go MatchClusterEvents.
  bool matches(const ClusterEvent&) const;
};

}  // namespace podium::framework
