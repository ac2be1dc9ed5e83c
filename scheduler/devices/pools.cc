#include "scheduler/devices/pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/text_hash.h"
#include "scheduler/plugins/shared/node_selector.h"

namespace podium::devices {
namespace {

using Slices = std::vector<const SliceDevices*>;

bool matches(const api::DeviceNodes& nodes, const api::Node& node) {
  if (nodes.name && !nodes.name->empty()) return *nodes.name == node.meta.name;
  return nodes.all || (nodes.selector && plugins::selects(*nodes.selector, node));
}

bool is_named_or_all(const api::DeviceNodes& nodes) {
  return (nodes.name && !nodes.name->empty()) || nodes.all;
}

// True if a slice that is not local to one node matters for this node.
Result<bool> is_relevant(const SliceDevices& each, const api::Node& node) {
  const auto& slice = each.slice();
  if (is_named_or_all(slice.nodes) || slice.nodes.selector) {
    auto match = node_matches(each, node);
    if (match) return match;
    return invalid(fmt::format("failed to perform node selection for slice {}: {}", slice.meta.name,
                               match.error().message));
  }
  if (!slice.per_device_node_selection) return false;
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    const auto match = node_matches(each, i, node);
    if (!match) {
      return invalid(fmt::format("failed to perform node selection for device {} in slice {}: {}",
                                 slice.devices[i].name, slice.meta.name, match.error().message));
    }
    if (*match) return true;
  }
  return false;
}

// Keeps only the slices of the highest generation.
void keep_newest(Slices& slices) {
  const auto generation = [](const SliceDevices* each) { return each->slice().pool.generation; };
  const auto newest = generation(*std::ranges::max_element(slices, {}, generation));
  std::erase_if(slices, [&](const SliceDevices* each) { return generation(each) != newest; });
}

bool have_duplicate_names(const Slices& slices) {
  if (std::ranges::any_of(slices, &SliceDevices::has_duplicate_names)) return true;
  if (slices.size() < 2) return false;
  std::unordered_set<std::string_view, TextHash> names;
  for (const auto* slice : slices) {
    for (const auto& device : slice->devices()) {
      if (!names.insert(device.name).second) return true;
    }
  }
  return false;
}

constexpr auto by_names = [](const Counter& a, const Counter& b) {
  return std::tie(a.set, a.name) < std::tie(b.set, b.name);
};

// False: two sets have the same name.
bool collect_counters(const Slices& slices, std::vector<std::string_view>& sets,
                      std::vector<Counter>& counters) {
  for (const auto* slice : slices) {
    for (const auto& set : slice->slice().shared_counters) {
      if (std::ranges::find(sets, set.name) != sets.end()) return false;
      sets.push_back(set.name);
      for (const auto& [name, value] : set.counters) counters.push_back({set.name, name, value});
    }
  }
  std::ranges::sort(counters, by_names);
  return true;
}

// True if every counter that a device consumes exists.
bool counters_are_known(const Slices& slices, const std::vector<std::string_view>& sets,
                        const std::vector<Counter>& counters) {
  const auto known = [&](const api::CounterSet& consumed) {
    return std::ranges::find(sets, consumed.name) != sets.end() &&
           std::ranges::all_of(consumed.counters, [&](const auto& counter) {
             return std::ranges::binary_search(counters, Counter{consumed.name, counter.first, {}}, by_names);
           });
  };
  for (const auto* slice : slices) {
    if (!slice->consumes_counters()) continue;
    for (const auto& device : slice->devices()) {
      if (!std::ranges::all_of(device.consumes_counters, known)) return false;
    }
  }
  return true;
}

// Fills in the pool's devices; false: the pool is invalid.
bool fill(Pool& pool, const Slices& relevant, const Slices& elsewhere, const DeviceFeatures& features) {
  Slices with_counters;
  for (const auto* slice : relevant) {
    (features.partitionable && slice->has_counters() ? with_counters : pool.slices).push_back(slice);
  }
  for (const auto* slice : elsewhere) {
    (features.partitionable && slice->has_counters() ? with_counters : pool.elsewhere).push_back(slice);
  }
  if (have_duplicate_names(pool.slices)) return false;
  if (!features.partitionable) return true;
  std::vector<std::string_view> sets;
  if (!collect_counters(with_counters, sets, pool.counters)) return false;
  return counters_are_known(pool.slices, sets, pool.counters) &&
         counters_are_known(pool.elsewhere, sets, pool.counters);
}

// False: some selector cannot be parsed.
bool add_relevant(const Slices& slices, const api::Node& node, Slices& to) {
  for (const auto* slice : slices) {
    const auto match = is_relevant(*slice, node);
    if (!match) return false;
    if (*match) to.push_back(slice);
  }
  return true;
}

// Upstream reports the first one in the order of listing.
Result<void> first_error(const Inventory& inventory, const api::Node& node) {
  for (const auto* slice : inventory.shared_slices()) {
    if (const auto match = is_relevant(*slice, node); !match) return std::unexpected(match.error());
  }
  return {};
}

}  // namespace

Result<bool> node_matches(const SliceDevices& slice, const api::Node& node) {
  const auto& nodes = slice.slice().nodes;
  if (!is_named_or_all(nodes) && !slice.selector_error().empty()) return invalid(slice.selector_error());
  return matches(nodes, node);
}

Result<bool> node_matches(const SliceDevices& slice, std::size_t device, const api::Node& node) {
  const auto& nodes = slice.devices()[device].nodes;
  if (!is_named_or_all(nodes) && !slice.selector_error(device).empty()) {
    return invalid(slice.selector_error(device));
  }
  return matches(nodes, node);
}

std::unique_ptr<Pool> make_pool(const Inventory::OfferedPool& all, Slices relevant,
                                const DeviceFeatures& features) {
  keep_newest(relevant);
  const auto& version = relevant.front()->slice().pool;
  const bool has_all = static_cast<std::int64_t>(relevant.size()) == version.slice_count;
  if (!has_all && all.generations.rbegin()->first > version.generation) return nullptr;
  auto pool = std::make_unique<Pool>(all.id);
  if (!has_all && all.generations.at(version.generation) != version.slice_count) {
    pool->incomplete = true;
    return pool;
  }
  // Slices of other nodes matter for their counters, and for devices that consume some.
  Slices elsewhere;
  if (!has_all && all.uses_counters) {
    for (const auto* slice : all.slices) {
      if (slice->slice().pool.generation != version.generation) continue;
      if (slice->has_compatibility_groups()) continue;
      if (!slice->consumes_counters() && !slice->has_counters()) continue;
      if (std::ranges::find(relevant, slice) == relevant.end()) elsewhere.push_back(slice);
    }
  }
  std::ranges::stable_sort(
      relevant, {}, [](const SliceDevices* each) -> const std::string& { return each->slice().meta.name; });
  if (!fill(*pool, relevant, elsewhere, features)) {
    pool->invalid = true;
    pool->slices.clear();
    pool->elsewhere.clear();
    return pool;
  }
  pool->binding_conditions = std::ranges::any_of(pool->slices, &SliceDevices::has_binding_conditions);
  return pool;
}

Result<void> gather_pools(const Inventory& inventory, const api::Node& node, NodePools& to) {
  to.pools.clear();
  to.made.clear();
  auto local = inventory.of_node(node.meta.name);
  auto shared = inventory.shared_pools();
  bool binding_conditions = false;
  while (!local.empty() || !shared.empty()) {
    const auto index =
        shared.empty() || (!local.empty() && local[0].pool < shared[0]) ? local[0].pool : shared[0];
    Slices relevant;
    const auto& offered = inventory.pools()[index];
    if (!local.empty() && local[0].pool == index) {
      if (!offered.is_fixed) relevant = local[0].slices;
      local = local.subspan(1);
    }
    if (!shared.empty() && shared[0] == index) {
      shared = shared.subspan(1);
      if (!offered.is_fixed && !add_relevant(offered.shared, node, relevant)) {
        return first_error(inventory, node);
      }
    }
    const Pool* pool = offered.same.get();
    if (!offered.is_fixed && !relevant.empty()) {
      if (auto made = make_pool(offered, std::move(relevant), inventory.features())) {
        pool = to.made.emplace_back(std::move(made)).get();
      }
    }
    if (!pool) continue;
    to.pools.push_back(pool);
    binding_conditions |= pool->binding_conditions;
  }
  if (binding_conditions) {
    std::ranges::stable_partition(to.pools, [](const Pool* pool) { return !pool->binding_conditions; });
  }
  return {};
}

}  // namespace podium::devices
