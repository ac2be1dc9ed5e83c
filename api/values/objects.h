// The other kinds that podium reads.
//
// Plain values with the fields that scheduling depends on; immutable once shared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/values/labels.h"
#include "api/values/meta.h"
#include "api/values/node_selector_term.h"
#include "api/values/quantity.h"
#include "api/values/resource_list.h"
#include "api/values/selector.h"
#include "api/values/toleration.h"
#include "api/values/volume.h"

namespace podium::api {

struct Namespace {
  ObjectMeta meta;
  bool operator==(const Namespace&) const = default;
};

// A Service, ReplicationController, ReplicaSet or StatefulSet. Its selector is the default spread selector of
// its pods. Services and ReplicationControllers select by plain labels.
struct Workload {
  enum class Kind : std::uint8_t { service, replication_controller, replica_set, stateful_set };
  ObjectMeta meta;
  Kind kind = Kind::service;
  std::optional<LabelSelector> selector;  // nullopt: spec.selector is absent
  bool operator==(const Workload&) const = default;
};

struct PriorityClass {
  ObjectMeta meta;
  std::int32_t value = 0;
  bool global_default = false;
  std::optional<bool> preempt_never;  // preemptionPolicy: Never; nullopt: unset
  bool operator==(const PriorityClass&) const = default;
};

struct PodDisruptionBudget {
  ObjectMeta meta;
  std::optional<LabelSelector> selector;
  // A number of pods, or a share of them in percent.
  struct Amount {
    std::int64_t value = 0;
    bool is_percent = false;
    bool operator==(const Amount&) const = default;
  };
  std::optional<Amount> min_available, max_unavailable;
  bool is_counted = false;  // the disruption controller has written status.disruptionsAllowed
  std::int32_t disruptions_allowed = 0, current_healthy = 0, desired_healthy = 0;
  bool evicts_unhealthy = false;  // unhealthyPodEvictionPolicy: AlwaysAllow
  std::vector<std::string> disrupted_pods;
  bool operator==(const PodDisruptionBudget&) const = default;
};

// --- admission of pods ---
struct LimitRange {
  ObjectMeta meta;
  struct Item {
    std::string type;                                    // Container, Pod or PersistentVolumeClaim
    ResourceList min, max, limits, requests, max_ratio;  // limits, requests: defaults of containers
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;
  bool operator==(const LimitRange&) const = default;
};

struct RuntimeClass {
  ObjectMeta meta;
  std::optional<ResourceList> overhead;  // podFixed; nullopt: no overhead
  Labels node_selector;                  // of scheduling, and so the tolerations
  std::vector<Toleration> tolerations;
  bool operator==(const RuntimeClass&) const = default;
};

// --- storage ---
struct PersistentVolume {
  ObjectMeta meta;
  Quantity capacity;
  std::string storage_class, volume_mode = "Filesystem", phase, attributes_class;
  std::vector<std::string> access_modes;
  struct ClaimRef {
    std::string namespace_, name, uid;
    bool operator==(const ClaimRef&) const = default;
  };
  std::optional<ClaimRef> claim;
  std::optional<std::vector<NodeSelectorTerm>> node_affinity;  // spec.nodeAffinity.required
  Volume source;                                               // in-tree kinds, for limits and restrictions
  std::string csi_driver, csi_handle;
  bool operator==(const PersistentVolume&) const = default;
};

struct PersistentVolumeClaim {
  ObjectMeta meta;
  Quantity request;  // resources.requests.storage
  std::optional<std::string> storage_class;
  std::string volume_name, volume_mode = "Filesystem", phase;
  std::optional<std::string> attributes_class;
  std::vector<std::string> access_modes;
  std::optional<LabelSelector> selector;
  bool operator==(const PersistentVolumeClaim&) const = default;
};

struct StorageClass {
  ObjectMeta meta;
  std::string provisioner;
  bool wait_for_first_consumer = false;
  bool has_binding_mode = true;
  std::vector<NodeSelectorTerm> allowed_topologies;  // matchLabelExpressions, as In requirements
  bool operator==(const StorageClass&) const = default;
};

struct CsiNode {
  ObjectMeta meta;
  struct Driver {
    std::string name;
    std::optional<std::int32_t> allocatable;
    bool operator==(const Driver&) const = default;
  };
  std::vector<Driver> drivers;
  bool operator==(const CsiNode&) const = default;
};

struct CsiDriver {
  ObjectMeta meta;
  bool storage_capacity = false;
  bool prevents_scheduling_if_missing = false;  // spec.preventPodSchedulingIfMissing
  bool operator==(const CsiDriver&) const = default;
};

struct CsiStorageCapacity {
  ObjectMeta meta;
  std::string storage_class;
  std::optional<LabelSelector> node_topology;
  std::optional<Quantity> capacity, maximum_volume_size;
  bool operator==(const CsiStorageCapacity&) const = default;
};

struct VolumeAttachment {
  ObjectMeta meta;
  std::string attacher, node_name, volume_name;  // volume_name: source.persistentVolumeName
  bool operator==(const VolumeAttachment&) const = default;
};

}  // namespace podium::api
