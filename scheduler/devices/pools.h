// Pools, as one node sees them.
//
// Role: collects the slices of a pool that the node may use, and checks them together. A pool is complete,
// incomplete (slices are missing) or invalid (duplicate names, unknown counters). Only complete pools give
// devices.
// Threads: pure functions over an Inventory, which must outlive the pools.
// Errors: upstream's texts for node selectors that it cannot parse.
// Source: dynamic-resource-allocation/structured/internal/incubating pools_incubating.go.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/node.h"
#include "base/result.h"
#include "scheduler/devices/inventory.h"

namespace podium::devices {

// A counter of a pool. Counters are sorted by the names of their set and their own.
struct Counter {
  std::string_view set, name;
  api::Quantity value;
};

struct Pool {
  explicit Pool(const cluster::PoolId& pool_id) : id(&pool_id) {}
  const cluster::PoolId* id;
  bool incomplete = false, invalid = false, binding_conditions = false;
  bool fixed = false;                          // the Inventory's, the same for all nodes that can use it
  std::vector<const SliceDevices*> slices;     // whose devices the node may use, by name
  std::vector<const SliceDevices*> elsewhere;  // of other nodes, needed if devices consume counters
  std::vector<Counter> counters;

  bool is_usable() const { return !incomplete && !invalid; }
};

// A pool from the slices that a node may use: at least one, in the order of listing; those of older
// generations do not count. `all`: every slice of the pool. Null: a newer generation is incomplete here.
std::unique_ptr<Pool> make_pool(const Inventory::OfferedPool& all, std::vector<const SliceDevices*> relevant,
                                const DeviceFeatures& features);

// True if the node has the slice's devices, and this one of a slice with perDeviceNodeSelection. The error
// names the selector that cannot be parsed.
Result<bool> node_matches(const SliceDevices& slice, const api::Node& node);
Result<bool> node_matches(const SliceDevices& slice, std::size_t device, const api::Node& node);

// The pools of a node in the order of the search: by driver and name, those with binding conditions last.
// `made` owns the pools that are built for this node only.
struct NodePools {
  std::vector<const Pool*> pools;
  std::vector<std::unique_ptr<Pool>> made;
};
Result<void> gather_pools(const Inventory& inventory, const api::Node& node, NodePools& to);

}  // namespace podium::devices
