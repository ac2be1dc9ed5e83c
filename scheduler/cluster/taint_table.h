// TaintTable: the distinct taint sets of nodes, each stored once.
//
// Ids are dense and reused once no node has the set. Id 0 is always the empty set of a schedulable node.
// Owner: a Snapshot, whose thread rule applies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/values/taint.h"
#include "scheduler/cluster/cow_map.h"

namespace podium::cluster {

using TaintSetId = std::uint32_t;  // nodes with equal taints and spec.unschedulable share one

struct TaintSet {
  std::vector<api::Taint> taints;
  bool unschedulable = false;
  std::uint32_t nodes = 0;  // 0: free
  bool operator==(const TaintSet&) const = default;
};

class TaintTable {
 public:
  std::span<const TaintSet> sets() const { return sets_; }
  TaintSetId take(const std::vector<api::Taint>& taints, bool unschedulable);  // adds a node
  void release(TaintSetId id);  // removes a node that was added with this id

 private:
  std::vector<TaintSet> sets_ = std::vector<TaintSet>(1);
  std::vector<TaintSetId> free_;
  CowMap<std::string, TaintSetId> ids_;  // by text_of()
};

}  // namespace podium::cluster
