// DevicesInUse: which devices are in use, and how much of those that are shared.
//
// Role: the sum of the claims' allocations, grouped by pool. Devices given with admin access do not count.
// Devices of a claim in flight also count, even if the claim already has the allocation: then the capacity
// that it consumes counts twice, as upstream (dra_manager.go GatherAllocatedState).
// Owner: Objects, as part of a Snapshot. Threads: as Cow; a copy has one writer. Errors: none.
// Source: plugins/dynamicresources allocateddevices.go, structured/schedulerapi.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/device_fwd.h"
#include "api/values/quantity.h"
#include "base/text_hash.h"
#include "scheduler/cluster/cow_map.h"

namespace podium::cluster {

// A pool's name and its hash, which is computed once.
struct PoolId {
  PoolId(std::string driver_name, std::string pool_name)
      : driver(std::move(driver_name)),
        pool(std::move(pool_name)),
        hash(hash_mix(hash_text(driver), hash_text(pool))) {}
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
using DeviceAmounts = std::vector<std::pair<std::string, api::Quantity>>;
void add_amounts(DeviceAmounts& to, const DeviceAmounts& amounts);
// Ignores names that `from` does not have.
void subtract_amounts(DeviceAmounts& from, const DeviceAmounts& amounts);
// True if every amount is zero.
bool are_zero(const DeviceAmounts& amounts);

struct DeviceUse {
  std::string device;
  std::int32_t exclusive = 0;  // results that have the whole device; more than one is a fault elsewhere
  std::int32_t shares = 0;     // results with a share ID
  std::optional<DeviceAmounts> consumed = {};  // nullopt: no share consumes any capacity
  bool operator==(const DeviceUse&) const = default;
};

// The devices of one pool that are in use, by name.
class PoolUse {
 public:
  const DeviceUse* find(std::string_view device) const;
  bool operator==(const PoolUse&) const = default;

 private:
  friend class DevicesInUse;
  std::vector<DeviceUse> devices_;
};

class DevicesInUse {
 public:
  // The allocation of one claim's status, or of a claim whose binding is in flight. What is removed must have
  // been added.
  void add(const api::Allocation& allocation);
  void remove(const api::Allocation& allocation);
  // A claim was added (`before` is null), updated or removed (`after` is null).
  void changed(const api::ResourceClaim* before, const api::ResourceClaim* after);

  // Null: no device of the pool is in use.
  const PoolUse* find(const PoolId& pool) const { return pools_.find(pool); }
  // True if the same devices of the pool are in use here and there. Fast if neither has changed since a copy.
  bool has_same_use(const PoolId& pool, const DevicesInUse& other) const {
    if (pools_.shares(pool, other.pools_)) return true;
    const auto *mine = find(pool), *others = other.find(pool);
    return mine && others ? *mine == *others : mine == others;
  }

 private:
  CowMap<PoolId, PoolUse, PoolIdHash, 16> pools_;
};

}  // namespace podium::cluster
