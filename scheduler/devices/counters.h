// SharedCounters: the amounts that are available in the counters of a pool.
//
// Role: one for each pool whose devices consume counters. The available amounts are computed once, from the
// devices in use on all nodes; they may be negative. The search adds and removes its devices. A pool may have
// thousands of counters, and a search takes devices again and again: a call looks at the device's own only.
// Owner: a Search. Threads: one. Errors: none.
// Source: dynamic-resource-allocation/structured/internal/incubating allocator_incubating.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/devices/pools.h"

namespace podium::devices {

class SharedCounters {
 public:
  SharedCounters(const Pool& pool, const cluster::PoolUse* use);
  // Takes the amounts that the device consumes. False: a counter of the pool has too little left, also one
  // that the device does not consume; takes nothing then.
  bool take(const api::Device& device);
  void give_back(const api::Device& device);
  void clear();
  // What making one costs, and clear(), in the steps of a search.
  static std::int64_t steps_of(const Pool& pool);
  std::int64_t steps() const { return std::ssize(left_); }

 private:
  template <typename F>
  void each_counter(const api::Device& device, F&& f) const;
  void subtract(const cluster::PoolUse& use);
  void set_taken(std::size_t i, api::Quantity amount);
  bool is_short(std::size_t i) const { return left_[i] < taken_[i]; }

  const Pool& pool_;
  std::vector<api::Quantity> left_, taken_;  // by index in the pool's counters
  std::size_t short_ = 0;                    // counters with too little left
};

}  // namespace podium::devices
