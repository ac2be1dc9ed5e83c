// Inventory: the devices that all slices offer, by pool and by node.
//
// Role: an index over the ResourceSlices. Builds the pools whose slices are all for one node, or all for
// every node; the others are built for each node (pools.h).
// Owner: shared by all decisions until a slice changes. Threads: immutable once made; any thread may read.
// Errors: none.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/text_hash.h"
#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/devices/device_features.h"
#include "scheduler/devices/slice_devices.h"

namespace podium::devices {

struct Pool;

// True for a slice of one node's devices. Upstream keeps these per node and tries them first.
bool is_local(const api::ResourceSlice& slice);

class Inventory {
 public:
  // Slices in the order of listing, which decides if slices of the same generation disagree.
  // Reuses the results of `previous` for the slices that both have.
  Inventory(std::span<const std::shared_ptr<const api::ResourceSlice>> slices, DeviceFeatures features,
            const Inventory* previous = nullptr);
  ~Inventory();
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  // A pool with all its slices, of every generation.
  struct OfferedPool {
    explicit OfferedPool(cluster::PoolId pool_id) : id(std::move(pool_id)) {}
    cluster::PoolId id;
    std::vector<const SliceDevices*> slices;  // in the order of listing
    std::vector<const SliceDevices*> shared;  // those that more than one node may use
    // The number of slices of each, without those with compatibility groups: a pool with some is incomplete.
    std::map<std::int64_t, std::int64_t> generations;
    bool uses_counters = false;
    // The pool as seen by every node that can use any of its slices, unless that depends on the node. Null:
    // skip the pool.
    bool is_fixed = false;
    std::shared_ptr<const Pool> same;
  };
  struct LocalPool {
    std::uint32_t pool;                       // index in pools()
    std::vector<const SliceDevices*> slices;  // those with this nodeName, in the order of listing
  };

  const DeviceFeatures& features() const { return features_; }
  const std::vector<OfferedPool>& pools() const { return pools_; }  // by driver and name
  // The pools with slices that have this nodeName, in the order of pools().
  std::span<const LocalPool> of_node(std::string_view name) const;
  // The pools that have slices without a nodeName, or with counters; indices in pools(), ascending.
  std::span<const std::uint32_t> shared_pools() const { return shared_pools_; }
  // Their slices without a nodeName, or with counters, in the order of listing.
  std::span<const SliceDevices* const> shared_slices() const { return shared_slices_; }

 private:
  void index_pool(OfferedPool& pool);
  void put_together(OfferedPool& pool) const;

  DeviceFeatures features_;
  std::vector<std::shared_ptr<const SliceDevices>> slices_;
  std::vector<OfferedPool> pools_;
  std::vector<std::uint32_t> shared_pools_;
  std::vector<const SliceDevices*> shared_slices_;
  boost::unordered_flat_map<std::string, std::vector<LocalPool>, TextHash, std::equal_to<>> of_node_;
};

}  // namespace podium::devices
