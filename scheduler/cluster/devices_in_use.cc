#include "scheduler/cluster/devices_in_use.h"

#include <algorithm>

#include "api/values/device.h"
#include "base/check.h"

namespace podium::cluster {
namespace {

DeviceAmounts amounts_of(const api::AllocatedDevice& result) {
  DeviceAmounts amounts;
  amounts.reserve(result.consumed_capacity.size());
  for (const auto& [name, quantity] : result.consumed_capacity) amounts.emplace_back(name, quantity.value);
  return amounts;
}

void consume(std::optional<DeviceAmounts>& consumed, const DeviceAmounts& amounts) {
  if (!consumed) consumed.emplace();
  add_amounts(*consumed, amounts);
}

// Once the sum is zero, forgets amounts of zero that other shares consume, as upstream does. Releasing one
// of these has no effect.
void release(std::optional<DeviceAmounts>& consumed, const DeviceAmounts& amounts) {
  if (!consumed) return;
  subtract_amounts(*consumed, amounts);
  if (are_zero(*consumed)) consumed.reset();
}

}  // namespace

void add_amounts(DeviceAmounts& to, const DeviceAmounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto at = std::ranges::lower_bound(to, name, {}, &DeviceAmounts::value_type::first);
    if (at != to.end() && at->first == name) {
      at->second = at->second + amount;
    } else {
      to.emplace(at, name, amount);
    }
  }
}

void subtract_amounts(DeviceAmounts& from, const DeviceAmounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto at = std::ranges::lower_bound(from, name, {}, &DeviceAmounts::value_type::first);
    if (at != from.end() && at->first == name) at->second = at->second - amount;
  }
}

bool are_zero(const DeviceAmounts& amounts) {
  return std::ranges::all_of(amounts, [](const auto& entry) { return entry.second.is_zero(); });
}

const DeviceUse* PoolUse::find(std::string_view device) const {
  const auto at = std::ranges::lower_bound(devices_, device, {}, &DeviceUse::device);
  return at != devices_.end() && at->device == device ? &*at : nullptr;
}

void DevicesInUse::add(const api::Allocation& allocation) {
  for (const auto& result : allocation.results) {
    if (result.admin_access) continue;
    auto& devices = pools_[PoolId(result.driver, result.pool)].devices_;
    auto at = std::ranges::lower_bound(devices, result.device, {}, &DeviceUse::device);
    if (at == devices.end() || at->device != result.device) {
      at = devices.insert(at, DeviceUse{.device = result.device});
    }
    if (!result.share_id) {
      ++at->exclusive;
      continue;
    }
    ++at->shares;
    if (!result.consumed_capacity.empty()) consume(at->consumed, amounts_of(result));
  }
}

void DevicesInUse::remove(const api::Allocation& allocation) {
  for (const auto& result : allocation.results) {
    if (result.admin_access) continue;
    const PoolId pool(result.driver, result.pool);
    auto* use = pools_.find_for_write(pool);
    PODIUM_CHECK(use, result.driver, result.pool, result.device);
    const auto at = std::ranges::lower_bound(use->devices_, result.device, {}, &DeviceUse::device);
    PODIUM_CHECK(at != use->devices_.end() && at->device == result.device, result.driver, result.pool,
                 result.device);
    if (!result.share_id) {
      PODIUM_CHECK(at->exclusive > 0, result.driver, result.pool, result.device);
      --at->exclusive;
    } else {
      PODIUM_CHECK(at->shares > 0, result.driver, result.pool, result.device);
      --at->shares;
      if (!result.consumed_capacity.empty()) release(at->consumed, amounts_of(result));
    }
    if (at->exclusive == 0 && at->shares == 0) use->devices_.erase(at);
    if (use->devices_.empty()) pools_.erase(pool);
  }
}

void DevicesInUse::changed(const api::ResourceClaim* before, const api::ResourceClaim* after) {
  const auto* had = before && before->status.allocation ? &*before->status.allocation : nullptr;
  const auto* has = after && after->status.allocation ? &*after->status.allocation : nullptr;
  if (had && has && had->results == has->results) return;
  if (had) remove(*had);
  if (has) add(*has);
}

}  // namespace podium::cluster
