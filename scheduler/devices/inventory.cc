#include "scheduler/devices/inventory.h"

#include <algorithm>
#include <map>

#include "scheduler/devices/pools.h"

namespace podium::devices {

bool is_local(const api::ResourceSlice& slice) { return slice.nodes.name && !slice.nodes.name->empty(); }

namespace {

// A slice that every node may use.
bool is_everywhere(const api::ResourceSlice& slice) { return slice.nodes.all && !is_local(slice); }

bool is_ignored(const SliceDevices& each, const DeviceFeatures& features) {
  const auto& slice = each.slice();
  return each.has_compatibility_groups() ||
         (!features.partitionable && (slice.per_device_node_selection || !slice.shared_counters.empty()));
}

}  // namespace

Inventory::Inventory(std::span<const std::shared_ptr<const api::ResourceSlice>> slices,
                     DeviceFeatures features, const Inventory* previous)
    : features_(features) {
  boost::unordered_flat_map<const api::ResourceSlice*, std::shared_ptr<const SliceDevices>> known;
  if (previous) {
    known.reserve(previous->slices_.size());
    for (const auto& slice : previous->slices_) known.emplace(&slice->slice(), slice);
  }
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const SliceDevices*>> by_pool;
  slices_.reserve(slices.size());
  for (const auto& slice : slices) {
    const auto at = known.find(slice.get());
    slices_.push_back(at != known.end() ? at->second : std::make_shared<const SliceDevices>(slice));
    by_pool[{slice->driver, slice->pool.name}].push_back(slices_.back().get());
    if (!is_local(*slice) && !is_ignored(*slices_.back(), features))
      shared_slices_.push_back(slices_.back().get());
  }
  pools_.reserve(by_pool.size());
  for (auto& [name, pool_slices] : by_pool) {
    auto& pool = pools_.emplace_back(cluster::PoolId(std::string(name.first), std::string(name.second)));
    pool.slices = std::move(pool_slices);
    index_pool(pool);
  }
}

Inventory::~Inventory() = default;

void Inventory::index_pool(OfferedPool& pool) {
  const auto index = static_cast<std::uint32_t>(pools_.size() - 1);
  for (const auto* each : pool.slices) {
    const auto& slice = each->slice();
    auto& count = pool.generations[slice.pool.generation];
    if (!each->has_compatibility_groups()) ++count;
    pool.uses_counters |= each->consumes_counters() || each->has_counters();
    if (is_ignored(*each, features_)) continue;
    if (!is_local(slice)) {
      pool.shared.push_back(each);
      continue;
    }
    auto& local = of_node_[*slice.nodes.name];
    if (local.empty() || local.back().pool != index) local.push_back({index, {}});
    local.back().slices.push_back(each);
  }
  if (!pool.shared.empty()) shared_pools_.push_back(index);
  put_together(pool);
}

void Inventory::put_together(OfferedPool& pool) const {
  const auto& first = pool.slices.front()->slice();
  const bool one_node = std::ranges::all_of(pool.slices, [&](const SliceDevices* each) {
    return is_local(each->slice()) && each->slice().nodes.name == first.nodes.name &&
           !is_ignored(*each, features_);
  });
  const bool everywhere = std::ranges::all_of(pool.slices, [&](const SliceDevices* each) {
    return is_everywhere(each->slice()) && !is_ignored(*each, features_);
  });
  if (!one_node && !everywhere) return;
  auto made = make_pool(pool, pool.slices, features_);
  if (made) made->fixed = true;
  pool.same = std::move(made);
  pool.is_fixed = true;
}

std::span<const Inventory::LocalPool> Inventory::of_node(std::string_view name) const {
  const auto at = of_node_.find(name);
  return at == of_node_.end() ? std::span<const LocalPool>() : at->second;
}

}  // namespace podium::devices
