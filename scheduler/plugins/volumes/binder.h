// VolumeBinder: can a node reach the volumes of a pod, and what would be bound or made for it there?
//
// Bound claims are checked down the label columns; claims that wait for their first consumer are matched with
// existing volumes, and what finds none has to be provisioned. VolumeBinding's filter asks for the reasons,
// and whoever places the pod asks for the plan.
// Source: plugins/volumebinding/binder.go FindPodVolumes.
// Threads: belongs to one evaluation; refers to the snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/objects.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/volumes/finder.h"

namespace podium::plugins {

// A pod's claims. Immediate ones should have been bound before anyone schedules the pod.
struct PodClaims {
  using Claims = std::vector<const api::PersistentVolumeClaim*>;
  Claims bound, delayed, immediate;
};

// What has to be done before the pod can run on a node; pointers into the snapshot.
struct VolumePlan {
  struct Binding {
    const api::PersistentVolumeClaim* claim = nullptr;
    const api::PersistentVolume* volume = nullptr;
  };
  struct Provision {
    const api::PersistentVolumeClaim* claim = nullptr;
    const api::CsiStorageCapacity* room = nullptr;  // where it has room; null: nobody counts
  };
  std::vector<Binding> bindings;      // claims that get a volume that is there
  std::vector<Provision> provisions;  // claims whose volume is made for the node
};

// Why a node cannot have the pod: bits, since several may hold.
enum VolumeConflict : std::uint8_t {
  kNodeAffinityConflict = 1,  // a bound volume is out of reach
  kNoVolumeToBind = 2,
  kNotEnoughStorage = 4,
  kBoundVolumeMissing = 8,     // a claim is bound to a volume that is not there
  kUntranslatableVolume = 16,  // alone: the node cannot be asked, see VolumeBinder::error_at
};

class VolumeBinder {
 public:
  VolumeBinder(const cluster::Snapshot& snapshot, const PodClaims& claims);

  // VolumeConflict bits; 0: the pod can have its volumes there. `plan`, where given, is filled then.
  std::uint8_t judge(cluster::Row row, VolumePlan* plan = nullptr) const;
  // Why a node that has migrated the plugin of a bound volume cannot be asked for it; only for such nodes.
  const std::string& error_at(cluster::Row row) const;

 private:
  using Rooms = std::vector<const api::CsiStorageCapacity*>;  // by row; null where there is not enough
  struct Provision {
    const api::PersistentVolumeClaim* claim = nullptr;
    bool possible = false;                      // its class has a provisioner
    std::optional<cluster::NodeMask> topology;  // the nodes that the class allows; nullopt: all
    std::optional<Rooms> rooms;                 // nullopt: nobody counts

    VolumePlan::Provision at(cluster::Row row) const { return {claim, rooms ? (*rooms)[row] : nullptr}; }
  };

  // Nodes for which the driver of a volume cannot be told of it, and why.
  struct Untranslatable {
    cluster::NodeMask nodes;
    std::string why;
  };

  void check_bound(const PodClaims::Claims& bound);
  void check_volume(const api::PersistentVolume& volume);
  cluster::NodeMask out_of_reach(const std::optional<std::vector<api::NodeSelectorTerm>>& affinity) const;
  Provision provision(const api::PersistentVolumeClaim& claim) const;
  Rooms rooms_for(const api::PersistentVolumeClaim& claim, std::string_view storage_class) const;
  cluster::NodeMask selected(std::span<const api::NodeSelectorTerm> terms) const;
  std::uint8_t judge_provision(const Provision& provision, cluster::Row row) const;
  std::uint8_t judge_delayed(cluster::Row row, VolumePlan* plan) const;

  const cluster::Snapshot& snapshot_;
  cluster::NodeMask conflict_;
  std::vector<Untranslatable> untranslatable_;  // the first that has a node counts
  bool missing_ = false;
  std::optional<cluster::NodeMask> selected_nodes_;  // where claims with a selected node can be; nullopt: no
                                                     // such claim
  std::vector<Provision> selected_, to_match_;  // delayed claims with a selected node, and the others by size
  std::optional<VolumeFinder> finder_;          // for to_match_
};

}  // namespace podium::plugins
