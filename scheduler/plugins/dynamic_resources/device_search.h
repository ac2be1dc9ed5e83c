// DeviceSearch: finds the devices of a pod's claims on a node. DynamicResources searches through it.
//
// Owner: one evaluation, or one Reserve. Threads: one at a time. Errors: in the answer, in upstream's words.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/devices/tally.h"
#include "scheduler/plugins/dynamic_resources/pod_claims.h"

namespace podium::plugins {

struct DevicesFound {
  enum class End : std::uint8_t {
    found,          // allocations() has the result
    none,           // the node cannot serve all claims
    invalid_pools,  // as none, and a pool that could have helped is invalid
    timed_out,      // the search was given up
    failed,         // the attempt fails, regardless of other nodes
  };
  End end = End::none;
  std::string error{};  // of failed
};

class DeviceSearch {
 public:
  virtual ~DeviceSearch() = default;
  // Equal rows of equal snapshots get equal answers. A searched node may be searched again, regardless of the
  // steps that other nodes have used since.
  virtual DevicesFound at(cluster::Row row) const = 0;
  // The allocation of each claim there, without timestamps. Empty unless at() returns found.
  virtual std::vector<api::Allocation> allocations(cluster::Row row) const = 0;
  // Counts how the devices that the node can use match the claims' requests.
  virtual void tally(cluster::Row row, devices::Tally& to) const = 0;
};

// Keeps a reference to the snapshot. The claims have no allocation and are in the pod's order.
using StartSearch = std::function<std::unique_ptr<DeviceSearch>(const cluster::Snapshot& snapshot,
                                                                std::vector<ClaimPtr> claims)>;

// Upstream's filterTimeout: the time limit of a search on one node.
inline constexpr std::chrono::nanoseconds kDefaultFilterTimeout = std::chrono::seconds(10);

// The limits of a search, in steps of a devices::StepBudget: the core has no clock, and equal snapshots get
// equal answers on any machine.
struct SearchLimits {
  std::int64_t on_node = 0;   // beyond it the search on the node ends
  std::int64_t of_nodes = 0;  // over all nodes; beyond it no further node is searched

  // `filter_timeout`: 0 means the maximum.
  static SearchLimits of(std::chrono::nanoseconds filter_timeout, std::size_t nodes, bool is_hurried);
};

// The search of scheduler/devices. It compiles each expression once, and keeps the index of the slices until
// one changes; threads may share it.
StartSearch device_search(std::chrono::nanoseconds filter_timeout = kDefaultFilterTimeout);

}  // namespace podium::plugins
