// VolumeFinder: matches unbound claims with existing volumes on a node.
//
// Conditions that do not depend on the node (class, size, modes, selector, phase) are checked once for claims
// that ask for the same, and kept (available.h). Volumes that name claims, and those whose affinity is more
// than one label's value, are grouped by node affinity. The nodes of a group are found along the label
// columns, and those of many groups that name values of one label by an index of that label.
// Source: component-helpers/storage/volume FindMatchingVolume, as the scheduler calls it.
// Threads: belongs to one evaluation; refers to the snapshot.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/values/objects.h"
#include "base/text_hash.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/volumes/available.h"

namespace podium::plugins {

class VolumeFinder {
 public:
  VolumeFinder(const cluster::Snapshot& snapshot, std::vector<const api::PersistentVolumeClaim*> claims,
               AvailableCache& cache);

  bool has_candidates() const { return has_candidates_; }
  // Replaces `found` with the volume for each claim on the node, in the order of the claims. If a suitable
  // volume is pre-bound (its claimRef names the claim), it is the only choice; otherwise the smallest
  // suitable volume that no earlier claim got. Null: no volume.
  void find(cluster::Row row, std::vector<const api::PersistentVolume*>& found) const;

 private:
  using Group = std::uint32_t;  // volumes with equal node affinity; 0: without any
  using Volumes = AvailableVolumes::Volumes;

  struct Available {
    AvailableCache::Ptr volumes;
    boost::unordered_flat_map<Group, std::vector<AvailableVolumes::Volume>> others = {};
  };
  struct Candidates {
    std::vector<std::pair<const api::PersistentVolume*, Group>> prebound;  // volumes that name the claim
    std::size_t available = 0;                                             // index into available_
  };
  // The rows with each value of one label.
  class RowsByValue {
   public:
    RowsByValue(const cluster::LabelColumn& column, std::size_t chunks);
    std::span<const cluster::Row> with(cluster::ValueId id) const;

   private:
    std::vector<std::uint32_t> begins_;  // by id, of its rows in rows_; one more than there are ids
    std::vector<cluster::Row> rows_;
  };
  void add_prebound(const api::PersistentVolumeClaim& claim, Candidates& to);
  void add_available(AvailableCache::Ptr volumes);
  Group group_of(const std::vector<api::NodeSelectorTerm>& affinity);
  void add_rows(Group group, const std::vector<api::NodeSelectorTerm>& affinity);  // to by_row_
  void add_rows_with(Group group, const api::Requirement& label);
  bool reaches(cluster::Row row, Group group) const;
  const api::PersistentVolume* first_free(Volumes volumes) const;
  std::pair<std::size_t, std::size_t> groups_of(cluster::Row row) const;  // a range of by_row_
  const api::PersistentVolume* find(cluster::Row row, const Candidates& candidates) const;

  const cluster::Snapshot& snapshot_;
  std::vector<Candidates> claims_;
  std::vector<Available> available_;
  boost::unordered_flat_map<std::string, Group, TextHash, std::equal_to<>> groups_;
  std::vector<std::pair<cluster::Row, Group>> by_row_;  // sorted
  boost::unordered_flat_map<const cluster::LabelColumn*, RowsByValue> rows_by_value_;
  bool has_candidates_ = false;
  // During find(), for more than one claim: what earlier claims got, and of a list its first ones, all taken.
  mutable boost::unordered_flat_set<const api::PersistentVolume*> taken_;
  mutable boost::unordered_flat_map<const AvailableVolumes::Volume*, std::size_t> passed_;
};

}  // namespace podium::plugins
