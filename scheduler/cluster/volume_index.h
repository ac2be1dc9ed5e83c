// VolumeIndex: which volumes a claim may get, and what has been worked out of the volumes in use on each
// node.
//
// To count a node's volumes is a walk through its pods, their claims and the claims' volumes: far too long to
// take on every node in every decision. What the walk has found is kept here until something that it went
// through changes. It is made on demand, and shared by all copies of a snapshot for which it holds.
// Owner: Objects, as part of a Snapshot, which tells it of nodes and pods. Threads: at() may be asked on several
// threads at once; each copy has one writer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"

namespace podium::cluster {

struct NodeVolumes {
  struct Driver {
    std::string name;
    std::optional<std::int32_t> limit;  // of volumes that the node can attach; nullopt: none is known
    std::int32_t in_use = 0;            // volumes that its pods use, or that are attached to it
  };
  bool has_csi_node = false;
  std::vector<Driver> drivers;              // of its CSINode; counted where any of them has a limit
  std::vector<std::uint64_t> used_by_pods;  // hashes of the names of the volumes that its pods use, sorted
  bool is_countable = true;                 // false: counting them fails
};

class VolumeIndex {
 public:
  using Attachments = std::vector<std::shared_ptr<const api::VolumeAttachment>>;

  // What is known of a node; worked out by `make` where nothing is. Every caller passes the same `make`.
  // Holds until the next write to this copy.
  const NodeVolumes& at(Row row, const std::function<NodeVolumes()>& make) const;
  const Attachments& attachments(std::string_view node) const;
  // The nodes of the placed pods that use the claim, one for each.
  const std::vector<Row>& users(std::string_view ns, std::string_view claim) const;
  // The volumes that are promised to the claim, by name, and then those of its class that nobody has. Holds
  // as long.
  std::vector<std::string_view> candidates_for(const api::PersistentVolumeClaim& claim) const;

  void node_added(const std::string& name, Row row);
  void node_removed(const std::string& name, Row row);
  void pod_placed(const api::Pod& pod, Row row);
  void pod_displaced(const api::Pod& pod, Row row);

  // What an object was and is now; null where there was or is none.
  void changed(const api::PersistentVolumeClaim* before, const api::PersistentVolumeClaim* after);
  void changed(const api::PersistentVolume* before, const api::PersistentVolume* after);
  void changed(const api::StorageClass* before, const api::StorageClass* after);
  void changed(const api::CsiNode* before, const api::CsiNode* after);
  void changed(const std::shared_ptr<const api::VolumeAttachment>& before,
               const std::shared_ptr<const api::VolumeAttachment>& after);

 private:
  struct Slot {
    std::once_flag once;
    NodeVolumes volumes;
  };
  void forget(Row row) { slots_.write(row) = std::make_shared<Slot>(); }
  void forget_node(std::string_view name);
  void forget_users(const std::string& claim);

  Column<std::shared_ptr<Slot>, 128> slots_;              // by row; null where there is no node
  CowMap<std::string, Row> rows_;                         // by the node's name
  CowMap<std::string, std::vector<Row>> users_;           // by claim: the row of each placed pod that uses it
  CowMap<std::string, std::vector<std::string>> claims_;  // by volume: the claims that name it
  CowMap<std::string, std::vector<std::string>> open_;    // volumes by the claim they are promised to, or by
                                                          // class
  CowMap<std::string, Attachments> attachments_;          // by the node's name
  CowMap<std::string, std::vector<std::string>> attached_to_;  // by volume: the nodes
};

// The name of the volume's claim; nullopt for volumes that have none. An ephemeral volume's claim is made for
// the pod.
// Source: component-helpers/storage/ephemeral.
std::optional<std::string> claim_name(const api::Pod& pod, const api::Volume& volume);

}  // namespace podium::cluster
