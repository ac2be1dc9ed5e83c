// SharedCounters: the amounts that are available in the counters of a pool.
//
// Role: one for each pool whose devices consume counters. The available amounts are computed once, from the
// devices in use on all nodes; they may be negative. The search adds and removes its devices.
// Owner: a Search. Threads: one. Errors: none.
// Source: dynamic-resource-allocation/structured/internal/incubating allocator_incubating.go.
#pragma once

#include <vector>

#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/devices/pools.h"

namespace podium::devices {

class SharedCounters {
 public:
  SharedCounters(const Pool& pool, const cluster::PoolUse* use);
  // Takes the amounts that the device consumes. False: a counter has too little left; takes nothing then.
  bool take(const api::Device& device);
  void give_back(const api::Device& device);
  void clear();

 private:
  template <typename F>
  void each_counter(const api::Device& device, F&& f) const;

  const Pool& pool_;
  std::vector<api::Quantity> left_, taken_;  // by index in the pool's counters
};

}  // namespace podium::devices
