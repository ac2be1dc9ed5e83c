#include "scheduler/devices/allocated.h"

#include <algorithm>

namespace podium::devices {
namespace {

Amounts amounts_of(const api::AllocatedDevice& result) {
  Amounts amounts;
  amounts.reserve(result.consumed_capacity.size());
  for (const auto& [name, quantity] : result.consumed_capacity) amounts.emplace_back(name, quantity.value);
  return amounts;
}

void consume(std::optional<Amounts>& consumed, const Amounts& amounts) {
  if (!consumed) consumed.emplace();
  add_amounts(*consumed, amounts);
}

// As upstream: what no share consumes any more is forgotten.
void release(std::optional<Amounts>& consumed, const Amounts& amounts) {
  if (!consumed) return;
  subtract_amounts(*consumed, amounts);
  if (are_zero(*consumed)) consumed.reset();
}

}  // namespace

void add_amounts(Amounts& to, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto at = std::ranges::lower_bound(to, name, {}, &Amounts::value_type::first);
    if (at != to.end() && at->first == name) {
      at->second = at->second + amount;
    } else {
      to.emplace(at, name, amount);
    }
  }
}

void subtract_amounts(Amounts& from, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    const auto at = std::ranges::lower_bound(from, name, {}, &Amounts::value_type::first);
    if (at != from.end() && at->first == name) at->second = at->second - amount;
  }
}

bool are_zero(const Amounts& amounts) {
  return std::ranges::all_of(amounts, [](const auto& entry) { return entry.second.is_zero(); });
}

const DeviceUse* PoolUse::find(std::string_view device) const {
  const auto at = std::ranges::lower_bound(devices_, device, {}, &DeviceUse::device);
  return at != devices_.end() && at->device == device ? &*at : nullptr;
}

void Allocated::add(const api::Allocation& allocation) {
  for (const auto& result : allocation.results) {
    if (result.admin_access) continue;
    auto& devices = pools_[PoolId(result.driver, result.pool)].devices_;
    auto at = std::ranges::lower_bound(devices, result.device, {}, &DeviceUse::device);
    if (at == devices.end() || at->device != result.device) {
      at = devices.insert(at, DeviceUse{.device = result.device});
    }
    if (!consumable_capacity_ || !result.share_id) {
      ++at->exclusive;
      continue;
    }
    ++at->shares;
    if (!result.consumed_capacity.empty()) consume(at->consumed, amounts_of(result));
  }
}

void Allocated::remove(const api::Allocation& allocation) {
  for (const auto& result : allocation.results) {
    if (result.admin_access) continue;
    const PoolId pool(result.driver, result.pool);
    auto* use = pools_.find_for_write(pool);
    if (!use) continue;
    const auto at = std::ranges::lower_bound(use->devices_, result.device, {}, &DeviceUse::device);
    if (at == use->devices_.end() || at->device != result.device) continue;
    if (!consumable_capacity_ || !result.share_id) {
      --at->exclusive;
    } else {
      --at->shares;
      if (!result.consumed_capacity.empty()) release(at->consumed, amounts_of(result));
    }
    if (at->exclusive <= 0 && at->shares <= 0) use->devices_.erase(at);
    if (use->devices_.empty()) pools_.erase(pool);
  }
}

}  // namespace podium::devices
