// SearchMemo: what earlier searches have found on each node for claims that ask for the same.
//
// The pods of a workload have equal claims, and few nodes have changed since the last pod. So a search asks
// the allocator only about nodes that have changed, or whose pools have other devices in use.
// An answer follows from the claims' specs, the classes, the slices, the node and what is in use of the pools
// that the node reaches. With DeviceTaintRules nothing is kept: the answers also follow from these.
// Owner: SearchMemos, which gives a memo to one search at a time. Threads: as its owner says.
#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/devices/inventories.h"
#include "scheduler/plugins/dynamic_resources/device_search.h"
#include "scheduler/plugins/dynamic_resources/pod_claims.h"

namespace podium::plugins {

class SearchMemo {
 public:
  struct Answer {
    DevicesFound::End end;  // found, none or invalid_pools
    std::int64_t steps;     // that the search takes once its expressions are evaluated
  };
  using Pools = boost::container::small_vector<const cluster::PoolId*, 2>;

  SearchMemo(const cluster::Snapshot& snapshot, const std::vector<ClaimPtr>& claims,
             devices::Inventories::Ptr inventory);

  // False: it is about other claims, classes or slices.
  bool is_for(const cluster::Snapshot& snapshot, const std::vector<ClaimPtr>& claims,
              const devices::Inventories::Ptr& inventory) const;
  // Forgets the nodes that reach a pool whose use has changed.
  void renew(const cluster::Snapshot& snapshot);

  // Null: unknown. `node` is the row's.
  const Answer* find(cluster::Row row, const api::NodePtr& node) const {
    if (row >= nodes_.size()) return nullptr;
    const auto& known = nodes_[row];
    return known.node == node ? &known.answer : nullptr;
  }
  // `pools`: those that the node reaches; their ids are the inventory's.
  void add(cluster::Row row, api::NodePtr node, Answer answer, Pools pools);

 private:
  struct Known {
    api::NodePtr node;  // null: unknown
    Answer answer{};
    Pools pools;
  };

  std::vector<ClaimPtr> claims_;
  devices::Inventories::Ptr inventory_;
  cluster::ObjectMap<api::DeviceClass> classes_;
  cluster::DevicesInUse in_use_;
  std::vector<Known> nodes_;  // by row
};

// The last memos. Owner: a plugin. Threads: any number at the same time.
class SearchMemos {
 public:
  // Null: the claims or the cluster are such that nothing is kept.
  std::unique_ptr<SearchMemo> take(const cluster::Snapshot& snapshot, const std::vector<ClaimPtr>& claims,
                                   const devices::Inventories::Ptr& inventory);
  void give_back(std::unique_ptr<SearchMemo> memo);

 private:
  static constexpr std::size_t kMost = 3, kMostClaims = 8;

  std::mutex mutex_;
  std::vector<std::unique_ptr<SearchMemo>> kept_;  // the latest first
};

}  // namespace podium::plugins
