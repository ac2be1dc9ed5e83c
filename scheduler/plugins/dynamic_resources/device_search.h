// DeviceSearch: which devices the claims of one pod get on a node. DynamicResources' seam to the search.
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
#include "scheduler/plugins/dynamic_resources/claims.h"

namespace podium::plugins {

struct DevicesFound {
  enum class End : std::uint8_t {
    found,          // the allocations are there
    none,           // the node cannot serve all claims
    invalid_pools,  // neither, and a pool that could have helped is invalid
    timed_out,      // the search was given up
    failed,         // the attempt fails, whatever other nodes say
  };
  End end = End::none;
  std::string error{};  // of failed
};

class DeviceSearch {
 public:
  virtual ~DeviceSearch() = default;
  // Equal rows of equal snapshots get equal answers. A node that was searched may be asked for again,
  // whatever the searches of others have cost since.
  virtual DevicesFound at(cluster::Row row) const = 0;
  // What each claim gets there, without timestamps. Empty unless at() finds it.
  virtual std::vector<api::Allocation> allocations(cluster::Row row) const = 0;
  // Adds how the devices that the node can use suit the claims' requests.
  virtual void tally(cluster::Row row, devices::Tally& to) const = 0;
};

// Keeps a reference to the snapshot. The claims have no allocation and are in the pod's order.
using StartSearch = std::function<std::unique_ptr<DeviceSearch>(const cluster::Snapshot& snapshot,
                                                                std::vector<ClaimPtr> claims)>;

// Upstream's filterTimeout: how long a search may take on one node.
inline constexpr std::chrono::nanoseconds kDefaultFilterTimeout = std::chrono::seconds(10);

// What a search may cost, in devices::Steps, since the core has no clock. The limits do not depend on how
// fast the machine is, so that equal snapshots get equal answers.
struct SearchLimits {
  std::int64_t on_node = 0;   // beyond it the search on the node is given up
  std::int64_t of_nodes = 0;  // on all nodes; beyond it no further node is searched

  // `filter_timeout`: 0 is the most that is allowed.
  static SearchLimits of(std::chrono::nanoseconds filter_timeout, std::size_t nodes, bool is_hurried);
};

// The search of scheduler/devices. It compiles each expression once, and keeps the index of the slices until
// one changes; threads may share it.
StartSearch device_search(std::chrono::nanoseconds filter_timeout = kDefaultFilterTimeout);

}  // namespace podium::plugins
