// Cluster events and queueing hints: when is a pod that was turned down worth another try?
//
// An event is a fact about one object, with the object before and after. A hint stands beside the filter that
// rejected the pod and says which events may help, and a predicate says whether this very event does. Source
// of the vocabulary: pkg/scheduler/framework types (ClusterEvent, QueueingHintFn).
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <functional>

#include "api/decode.h"
#include "scheduler/cluster/pod_info.h"

namespace podium::framework {

enum class Resource : std::uint8_t {
  assigned_pod,
  unscheduled_pod,
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
  wild_card,
};

// Bits: what happened.
enum Action : std::uint32_t {
  kAdd = 1 << 0,
  kDelete = 1 << 1,
  kUpdateNodeAllocatable = 1 << 2,
  kUpdateNodeLabel = 1 << 3,
  kUpdateNodeTaint = 1 << 4,      // also spec.unschedulable
  kUpdateNodeCondition = 1 << 5,  // its status
  kUpdateNodeAnnotation = 1 << 6,
  kUpdateNodeDeclaredFeature = 1 << 7,
  kUpdatePodLabel = 1 << 8,
  kUpdatePodScaleDown = 1 << 9,  // requests went down
  kUpdatePodTolerations = 1 << 10,
  kUpdatePodGatesEliminated = 1 << 11,
  kUpdateOther = 1 << 12,  // an update that is none of the above; only a hint for every kUpdate takes it
  kUpdate = ((1 << 13) - 1) & ~3u,
  kAll = (1 << 13) - 1,
};

struct ClusterEvent {
  Resource resource = Resource::wild_card;
  std::uint32_t actions = kAll;
  api::Object before, after;  // monostate where there is none
};

// The difference between two states of an object, as event bits; 0 where none of them has changed.
// Pod-level requests that went down count by whatever rule: upstream asks no gate about them here.
std::uint32_t pod_changes(const api::Pod& before, const api::Pod& after,
                          const cluster::RequestRules& rules = {});
std::uint32_t node_changes(const api::Node& before, const api::Node& after);

struct EventHint {
  Resource resource;
  std::uint32_t actions;
  // True: the rejected pod may fit now. Null: every such event may help.
  std::function<bool(const cluster::PodInfo& rejected, const ClusterEvent&)> helps;

  // True where this hint is about such events. Source: pkg/scheduler/framework/types.go MatchClusterEvents.
  bool matches(const ClusterEvent&) const;
};

}  // namespace podium::framework
