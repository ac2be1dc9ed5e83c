// AvailableVolumes: the volumes without a claimRef that a claim may get, by the nodes that reach them.
//
// A cluster may have a local volume on each node, and a decision changes one of them. So a leaf of the map of
// volumes (VolumeIndex::free_of) has a result that is kept while the leaf is the same; all of them are kept
// while no leaf and no label column has changed.
// Owner: shared by decisions; an AvailableCache keeps the last ones. Threads: immutable.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/values/objects.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::plugins {

// The conditions that a volume with a claimRef must also meet.
bool could_hold(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);
// Whether the volume has all access modes that the claim asks for.
bool has_access_modes(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);
// The conditions of a volume without a claimRef besides could_hold().
bool is_free_for(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);
// Equal texts mean equal terms.
std::string text_of(const std::vector<api::NodeSelectorTerm>& terms);
// The label and its values, if the terms ask for nothing else and can be parsed; else null.
const api::Requirement* only_label(const std::vector<api::NodeSelectorTerm>& terms);

class AvailableVolumes {
 public:
  using Volume = const api::PersistentVolume*;
  using Volumes = std::span<const Volume>;  // smallest first, then by name
  using Affinity = std::vector<api::NodeSelectorTerm>;
  struct Other {
    Volume volume;
    std::shared_ptr<const Affinity> affinity;
  };

  // `previous` may be null. Equal `text`s, from text_of(), mean that the claims ask for the same.
  AvailableVolumes(const cluster::Snapshot& snapshot, const api::PersistentVolumeClaim& claim,
                   std::string text, const AvailableVolumes* previous);
  static std::string text_of(const api::PersistentVolumeClaim& claim);  // what it asks for

  const std::string& text() const { return text_; }
  // True if one made of the snapshot would be the same.
  bool is_of(const cluster::Snapshot& snapshot, const api::PersistentVolumeClaim& claim) const;
  bool empty() const { return everywhere_.empty() && by_label_.empty() && others_.empty(); }

  // The volumes that every node reaches.
  Volumes everywhere() const { return everywhere_; }
  // Calls f(Volumes) with those that the node reaches because of the value of one label.
  template <typename F>
  void each_of_label(cluster::Row row, F&& f) const {
    for (const auto& [key, column, begins, volumes] : by_label_) {
      const auto id = column->value(row);
      if (id == cluster::kNoValue || begins[id] == begins[id + 1]) continue;
      f(Volumes(volumes).subspan(begins[id], begins[id + 1] - begins[id]));
    }
  }
  // Those with other affinities; smallest first, then by name.
  std::span<const Other> others() const { return others_; }

 private:
  using Leaf = cluster::VolumeIndex::FreeVolumes::Leaf;
  using Column = Cow<cluster::LabelColumn>;
  // The volumes of a leaf that a claim may get; each list by name.
  struct Parts {
    struct OfKey {
      std::string key;
      std::vector<Volume> volumes;
      std::vector<std::string> values;  // of the label
    };
    std::vector<Volume> everywhere;
    std::vector<OfKey> by_key;
    std::vector<Other> others;
  };
  struct Kept {
    Cow<Leaf> leaf;
    std::shared_ptr<const Parts> parts;
    // By index in Parts::by_key: the ids of the values. Null: the key has no ByLabel.
    std::vector<std::shared_ptr<const std::vector<cluster::ValueId>>> ids = {};
  };
  struct ByLabel {
    std::string key;
    Column column;
    std::vector<std::uint32_t> begins;  // by id, of its volumes; one more than there are ids
    std::vector<Volume> volumes;
  };

  // A key of its own for each volume would be looked up on each node: the volumes of further keys are others.
  static constexpr std::size_t kMostLabels = 4;

  static Parts parts_of(const Leaf& leaf, const api::PersistentVolumeClaim& claim);
  void take_leaves(const cluster::VolumeIndex::FreeVolumes& free, const api::PersistentVolumeClaim& claim,
                   const AvailableVolumes* previous);
  void choose_labels(const cluster::Snapshot& snapshot);
  void resolve(const AvailableVolumes* previous);
  ByLabel* label_of(std::string_view key);
  void put_together();
  void put_together(ByLabel& label);

  std::string text_;
  std::vector<Kept> leaves_;
  std::vector<std::string> missing_;  // keys that no node has
  std::vector<ByLabel> by_label_;
  std::vector<Volume> everywhere_;
  std::vector<Other> others_;
};

// The last AvailableVolumes. Owner: a plugin. Threads: any number at the same time.
class AvailableCache {
 public:
  using Ptr = std::shared_ptr<const AvailableVolumes>;
  Ptr of(const cluster::Snapshot& snapshot, const api::PersistentVolumeClaim& claim);

 private:
  static constexpr std::size_t kMost = 4;  // pods that wait ask for few different volumes

  std::mutex mutex_;
  std::vector<Ptr> kept_;  // the latest first
};

}  // namespace podium::plugins
