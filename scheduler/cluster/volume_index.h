// VolumeIndex: caches each node's volume usage, and finds the volumes that a claim may bind to.
//
// Counting a node's volumes walks its pods, their claims and the claims' volumes: too slow for every node in
// every decision. The result is computed on demand, shared by all copies of a snapshot, and invalidated when
// a pod, claim, volume, storage class, CSINode or attachment that it depends on changes.
// Owner: Objects, as part of a Snapshot, which reports nodes and pods. Threads: at() may be called
// concurrently; each copy has one writer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/objects.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/cow_ordered_map.h"

namespace podium::api {
struct Pod;
}

namespace podium::cluster {

struct NodeVolumes {
  struct Driver {
    std::string name;
    std::optional<std::int32_t> limit;  // volumes that the node can attach; nullopt: unlimited
    std::int32_t in_use = 0;            // volumes used by its pods or attached to it
  };
  bool has_csi_node = false;
  std::vector<Driver> drivers;              // of its CSINode; in_use is set if any has a limit
  std::vector<std::uint64_t> used_by_pods;  // hashes of volume names, sorted
  bool is_countable = true;                 // false: counting failed
};

class VolumeIndex {
 public:
  using VolumePtr = std::shared_ptr<const api::PersistentVolume>;
  using Attachments = std::vector<std::shared_ptr<const api::VolumeAttachment>>;

  // The node's cached volumes; calls `make` on a miss. All callers must pass an equivalent `make`. Valid
  // until the next write to this copy.
  template <typename Make>
  const NodeVolumes& at(Row row, Make&& make) const {
    auto& slot = *slots_[row];
    if (!slot.is_made.load(std::memory_order_acquire)) {
      std::call_once(slot.once, [&] {
        slot.volumes = make();
        slot.is_made.store(true, std::memory_order_release);
      });
    }
    return slot.volumes;
  }
  const Attachments& attachments(std::string_view node) const;
  // The row of each placed pod that uses the claim; a row may repeat.
  const std::vector<Row>& users(std::string_view ns, std::string_view claim) const;
  // Names of the volumes with a claimRef to this claim, sorted. Valid until the next write to this copy.
  std::vector<std::string_view> promised_to(const api::PersistentVolumeClaim& claim) const;
  // The volumes of the class without a claimRef, by name.
  using FreeVolumes = CowOrderedMap<std::string, VolumePtr>;
  const FreeVolumes& free_of(std::string_view storage_class) const;

  void node_added(const std::string& name, Row row);
  void node_removed(const std::string& name, Row row);
  void pod_placed(const api::Pod& pod, Row row);
  void pod_displaced(const api::Pod& pod, Row row);

  // An object was added (`before` is null), updated or removed (`after` is null).
  void changed(const api::PersistentVolumeClaim* before, const api::PersistentVolumeClaim* after);
  void changed(const VolumePtr& before, const VolumePtr& after);
  void changed(const api::StorageClass* before, const api::StorageClass* after);
  void changed(const api::CsiNode* before, const api::CsiNode* after);
  void changed(const std::shared_ptr<const api::VolumeAttachment>& before,
               const std::shared_ptr<const api::VolumeAttachment>& after);

 private:
  struct Slot {
    std::once_flag once;
    std::atomic<bool> is_made = false;  // faster to ask than `once`
    NodeVolumes volumes;
  };
  void forget(Row row) { slots_.write(row) = std::make_shared<Slot>(); }
  void forget_node(std::string_view name);
  void file(const VolumePtr& before, const VolumePtr& after);
  void forget_users(const std::string& claim);

  Column<std::shared_ptr<Slot>, 128> slots_;              // by row; null if free
  CowMap<std::string, Row> rows_;                         // by the node's name
  CowMap<std::string, std::vector<Row>> users_;           // by claim: the row of each placed pod that uses it
  CowMap<std::string, std::vector<std::string>> claims_;  // by volume: the claims with its volumeName
  CowMap<std::string, std::vector<std::string>> promised_;  // by claim: the volumes whose claimRef names it
  CowMap<std::string, FreeVolumes> free_;                   // by class: the other volumes
  CowMap<std::string, Attachments> attachments_;            // by the node's name
  CowMap<std::string, std::vector<std::string>> attached_to_;  // by volume: the nodes
};

// The name of the volume's claim, be it a persistentVolumeClaim or an ephemeral volume; nullopt for others.
// Source: component-helpers/storage/ephemeral.
std::optional<std::string> claim_name(const api::Pod& pod, const api::Volume& volume);

}  // namespace podium::cluster
