// VolumeBinder: checks whether a pod can have its volumes on a node, and plans which volumes to bind or to
// provision for it there.
//
// Volumes of bound claims are checked along the label columns. Claims that wait for their first consumer are
// matched with existing volumes; a volume is provisioned for each claim without a match. VolumeBinding's
// filter uses the conflicts, and Reserve and the score use the plan.
// Source: plugins/volumebinding/binder.go FindPodVolumes.
// Threads: belongs to one evaluation; refers to the snapshot. Errors: kUntranslatableVolume and error_at().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/values/objects.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/volumes/finder.h"

namespace podium::plugins {

// A pod's claims. A pod with unbound immediate claims cannot be scheduled yet.
struct PodClaims {
  using Claims = std::vector<const api::PersistentVolumeClaim*>;
  Claims bound, delayed, immediate;
};

// The volumes to bind and to provision before the pod can run on a node; pointers into the snapshot.
struct VolumePlan {
  struct Binding {
    const api::PersistentVolumeClaim* claim = nullptr;
    const api::PersistentVolume* volume = nullptr;
  };
  struct Provision {
    const api::PersistentVolumeClaim* claim = nullptr;
    const api::CsiStorageCapacity* capacity = nullptr;  // null: the driver does not report capacity
  };
  std::vector<Binding> bindings;      // claims that get an existing volume
  std::vector<Provision> provisions;  // claims whose volume is provisioned for the node
};

// Reasons why a pod cannot have its volumes on a node, as bits.
enum VolumeConflict : std::uint8_t {
  kNodeAffinityConflict = 1,  // a bound volume's node affinity does not match
  kNoVolumeToBind = 2,
  kNotEnoughStorage = 4,
  kBoundVolumeMissing = 8,         // a claim is bound to a volume that does not exist
  kProvisionedElsewhere = 16,      // another node was selected for a claim's volume
  kOutsideAllowedTopologies = 32,  // of a claim's StorageClass
  kUntranslatableVolume = 64,      // the only bit if set: the check fails, see VolumeBinder::error_at
};

class VolumeBinder {
 public:
  VolumeBinder(const cluster::Snapshot& snapshot, const PodClaims& claims, AvailableCache& cache);

  // VolumeConflict bits; 0: the pod can have its volumes on the node. An empty `plan`, if given, is filled;
  // it is incomplete if the result is not 0.
  std::uint8_t conflicts_at(cluster::Row row, VolumePlan* plan = nullptr) const;
  // The nodes among these on which the pod may not have its volumes.
  cluster::NodeMask maybe_in_conflict(const cluster::NodeMask& nodes) const;
  // True if all nodes are alike for the delayed claims: no volume exists for them, and their classes name
  // neither nodes nor capacities.
  bool delayed_are_alike() const;
  // The error of a node with kUntranslatableVolume. Only for such nodes.
  const std::string& error_at(cluster::Row row) const;

 private:
  using Capacities = std::vector<const api::CsiStorageCapacity*>;  // by row; null: none is large enough
  struct Provision {
    const api::PersistentVolumeClaim* claim = nullptr;
    bool possible = false;                              // its class has a provisioner
    std::shared_ptr<const cluster::NodeMask> topology;  // nodes that the class allows; null: all
    std::shared_ptr<const Capacities> capacities;       // null: the driver does not report capacity

    VolumePlan::Provision at(cluster::Row row) const {
      return {claim, capacities ? (*capacities)[row] : nullptr};
    }
  };

  // Nodes that have migrated the plugin of a volume that cannot be translated, and the error.
  struct Untranslatable {
    cluster::NodeMask nodes;
    std::string error;
  };

  void check_bound(const PodClaims::Claims& bound);
  void check_volume(const api::PersistentVolume& volume);
  const std::vector<cluster::Row>& migrated(std::string_view plugin);
  cluster::NodeMask out_of_reach(const std::optional<std::vector<api::NodeSelectorTerm>>& affinity) const;
  Provision provision(const api::PersistentVolumeClaim& claim);
  std::shared_ptr<const cluster::NodeMask> topology_of(const api::StorageClass& storage_class);
  std::shared_ptr<const Capacities> capacities_for(const api::PersistentVolumeClaim& claim,
                                                   const api::StorageClass& storage_class);
  cluster::NodeMask selected(std::span<const api::NodeSelectorTerm> terms) const;
  std::uint8_t check_provision(const Provision& provision, cluster::Row row) const;
  std::uint8_t check_delayed(cluster::Row row, VolumePlan* plan) const;

  const cluster::Snapshot& snapshot_;
  cluster::NodeMask conflict_;
  std::vector<Untranslatable> untranslatable_;  // the first entry that has the node counts
  bool missing_ = false;
  // Nodes allowed by the claims that have a selected node; nullopt: no such claim.
  std::optional<cluster::NodeMask> selected_nodes_;
  std::vector<Provision> selected_, to_match_;  // delayed claims with a selected node; the others by size
  std::optional<VolumeFinder> finder_;          // for to_match_
  mutable std::vector<const api::PersistentVolume*> found_;  // by it on the last node; null: none
  // What claims of one class share, and those of one size.
  std::map<const api::StorageClass*, std::shared_ptr<const cluster::NodeMask>> topologies_;
  std::map<std::pair<const api::StorageClass*, std::int64_t>, std::shared_ptr<const Capacities>> capacities_;
  std::map<const api::CsiStorageCapacity*, cluster::NodeMask> nodes_of_;    // whose topology it has
  std::map<std::string, std::vector<cluster::Row>, std::less<>> migrated_;  // nodes, by plugin
};

}  // namespace podium::plugins
