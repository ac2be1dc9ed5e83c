// Allocated: which devices are in use, and how much of those that are shared.
//
// Role: the sum of the claims' allocations, grouped by pool. Devices given with admin access do not count.
// A fork is a copy: shards are shared until one side writes.
// Owner: whoever follows the claims. Threads: as Cow; a copy has one writer. Errors: none.
// Source: plugins/dynamicresources allocateddevices.go, structured/schedulerapi.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/device.h"
#include "scheduler/cluster/cow_map.h"

namespace podium::devices {

// A pool's name and its hash, which is computed once.
struct PoolId {
  PoolId(std::string driver_name, std::string pool_name)
      : driver(std::move(driver_name)),
        pool(std::move(pool_name)),
        hash(cluster::hash_mix(cluster::hash_text(driver), cluster::hash_text(pool))) {}
  std::string driver, pool;
  std::uint64_t hash;
  bool operator==(const PoolId& other) const {
    return hash == other.hash && driver == other.driver && pool == other.pool;
  }
  std::string text() const { return driver + "/" + pool; }
};
struct PoolIdHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(const PoolId& id) const { return id.hash; }
};

// Amounts by the name of the capacity, sorted; as in api::Device::capacity.
using Amounts = api::ByName<api::Quantity>;
void add_amounts(Amounts& to, const Amounts& amounts);
// Ignores names that `from` does not have.
void subtract_amounts(Amounts& from, const Amounts& amounts);
// True if every amount is zero.
bool are_zero(const Amounts& amounts);

struct DeviceUse {
  std::string device;
  std::int32_t exclusive = 0;  // results that have the whole device; more than one is a fault elsewhere
  std::int32_t shares = 0;     // results with a share ID
  std::optional<Amounts> consumed = {};  // nullopt: no share consumes any capacity
};

// The devices of one pool that are in use, by name.
class PoolUse {
 public:
  const DeviceUse* find(std::string_view device) const;

 private:
  friend class Allocated;
  std::vector<DeviceUse> devices_;
};

class Allocated {
 public:
  // Without DRAConsumableCapacity a share counts as the whole device.
  explicit Allocated(bool consumable_capacity = true) : consumable_capacity_(consumable_capacity) {}

  // The allocation of one claim's status, or of a claim whose binding is in flight. What is removed must have
  // been added.
  void add(const api::Allocation& allocation);
  void remove(const api::Allocation& allocation);

  // Null: no device of the pool is in use.
  const PoolUse* find(const PoolId& pool) const { return pools_.find(pool); }

 private:
  bool consumable_capacity_;
  cluster::CowMap<PoolId, PoolUse, PoolIdHash, 16> pools_;
};

}  // namespace podium::devices
