// DeviceSearch: which devices the claims of one pod get on a node. DynamicResources' seam to the search.
//
// Owner: one evaluation, or one Reserve. Threads: one at a time. Errors: in the answer, in upstream's words.
#pragma once

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
  std::vector<api::Allocation> allocations{};  // one for each claim, without timestamps
  std::string error{};                         // of failed
};

class DeviceSearch {
 public:
  virtual ~DeviceSearch() = default;
  // Equal rows of equal snapshots get equal answers.
  virtual DevicesFound at(cluster::Row row) const = 0;
  // Adds how the devices that the node can use suit the claims' requests.
  virtual void tally(cluster::Row row, devices::Tally& to) const = 0;
};

// Keeps a reference to the snapshot. The claims have no allocation and are in the pod's order.
using StartSearch = std::function<std::unique_ptr<DeviceSearch>(const cluster::Snapshot& snapshot,
                                                                std::vector<ClaimPtr> claims)>;

// The search of scheduler/devices. It compiles each expression once, and keeps the index of the slices until
// one changes; threads may share it.
StartSearch device_search();

}  // namespace podium::plugins
