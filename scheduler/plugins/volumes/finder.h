// VolumeFinder: which existing volumes unbound claims could take on a node.
//
// What does not hang on the node (class, size, modes, selector, phase) is settled once a claim. Volumes are
// grouped by their node affinity, and each group's nodes are found down the label columns, so that a cluster
// with a local volume on every node costs a look-up a node, not a walk over all volumes.
// Source: component-helpers/storage/volume FindMatchingVolume, in the scheduler's use of it.
// Threads: belongs to one evaluation; refers to the snapshot.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/objects.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::plugins {

class VolumeFinder {
 public:
  VolumeFinder(const cluster::Snapshot& snapshot, std::vector<const api::PersistentVolumeClaim*> claims);

  bool has_candidates() const { return has_candidates_; }
  // For each claim, in the order given, the volume that it takes on the node: the smallest that fits and that
  // no earlier claim has taken, or the one that was promised to it; null where there is none.
  std::vector<const api::PersistentVolume*> find(cluster::Row row) const;

 private:
  using Group = std::uint32_t;  // volumes with equal node affinity; 0 is for those without
  using Volumes = std::vector<const api::PersistentVolume*>;

  struct Candidates {
    const api::PersistentVolume* promised = nullptr;
    Group promised_group = 0;
    boost::unordered_flat_map<Group, Volumes> available;  // smallest first, then by name
  };

  void add(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim, Candidates& to);
  Group group_of(const api::PersistentVolume& volume);
  bool reaches(cluster::Row row, Group group) const;
  std::pair<std::size_t, std::size_t> groups_of(cluster::Row row) const;  // a range of by_row_
  const api::PersistentVolume* find(cluster::Row row, const Candidates& candidates,
                                    const Volumes& taken) const;

  const cluster::Snapshot& snapshot_;
  std::vector<Candidates> claims_;
  boost::unordered_flat_map<std::string, Group> groups_;
  std::vector<std::pair<cluster::Row, Group>> by_row_;  // sorted
  bool has_candidates_ = false;
};

}  // namespace podium::plugins
