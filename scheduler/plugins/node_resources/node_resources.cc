#include "scheduler/plugins/node_resources/node_resources.h"

#include <algorithm>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/devices/class_count.h"
#include "scheduler/plugins/shared/arg_names.h"
#include "scheduler/plugins/shared/exact_division.h"

namespace podium::plugins {
namespace {

PODIUM_VECTOR_CLONES
std::uint64_t all_bits(const std::int64_t* a, const std::int64_t* b, std::size_t rows) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < rows; ++i) bits |= static_cast<std::uint64_t>(a[i] | b[i]);
  return bits;
}

struct OwnColumns {
  cluster::Column<std::int64_t> allocatable, used;
};

std::shared_ptr<OwnColumns> own_columns(const std::optional<ResourceAmounts>& amounts, std::size_t chunks) {
  auto own = std::make_shared<OwnColumns>();
  if (amounts) *own = {amounts->allocatable.as_column(chunks), amounts->used.as_column(chunks)};
  own->allocatable.grow_to(chunks * cluster::kChunkRows);
  own->used.grow_to(chunks * cluster::kChunkRows);
  return own;
}

// Adds the devices of nodes that have none of the resource.
void add_devices(OwnColumns& own, const api::DeviceClass& device_class, const cluster::Snapshot& snapshot,
                 const cluster::NodeMask& feasible, DeviceSupply& supply) {
  const auto& objects = snapshot.objects();
  const devices::ClassCount count(supply.inventories.of(objects), supply.selectors, objects.devices_in_use(),
                                  device_class);
  feasible.each([&](cluster::Row row) {
    if (own.allocatable[row] != 0) return;
    const auto here = count.on(*snapshot.entry(row).node);
    if (here.all == 0) return;
    own.allocatable.set(row, here.all);
    own.used.set(row, here.in_use);
  });
}

}  // namespace

std::optional<ResourceAmounts> amounts_of(const cluster::Snapshot& snapshot, std::string_view resource,
                                          Usage usage) {
  const bool non_zero = usage == Usage::non_zero;
  if (resource == "cpu") {
    return ResourceAmounts{snapshot.allocatable_milli_cpu,
                           non_zero ? snapshot.non_zero_milli_cpu : snapshot.requested_milli_cpu};
  }
  if (resource == "memory") {
    return ResourceAmounts{snapshot.allocatable_memory,
                           non_zero ? snapshot.non_zero_memory : snapshot.requested_memory};
  }
  if (resource == "ephemeral-storage") {
    return ResourceAmounts{snapshot.allocatable_ephemeral, snapshot.requested_ephemeral};
  }
  const auto* scalar = snapshot.scalar(resource);
  if (!scalar) return std::nullopt;
  return ResourceAmounts{scalar->allocatable, scalar->requested};
}

std::vector<WeightedResource> decode_resources(const boost::json::object& object) {
  std::vector<WeightedResource> resources;
  const auto* list = object.if_contains(arg_names::kResources);
  if (list && list->is_array()) {
    for (const auto& item : list->get_array()) {
      const auto* fields = item.if_object();
      const auto* name = fields ? fields->if_contains("name") : nullptr;
      if (!name || !name->is_string()) continue;
      const auto* weight = fields->if_contains("weight");
      const auto value = weight && weight->is_int64() ? weight->get_int64() : 0;
      resources.push_back({std::string(name->get_string()), value > 0 ? value : 1});
    }
  }
  if (resources.empty()) resources = {{"cpu", 1}, {"memory", 1}};
  return resources;
}

std::vector<ScoredResource> scored_resources(const std::vector<WeightedResource>& resources,
                                             const cluster::Resources& requests,
                                             const cluster::Snapshot& snapshot, Usage usage,
                                             const cluster::NodeMask& feasible, DeviceSupply& supply) {
  std::vector<ScoredResource> scored;
  for (const auto& [name, weight] : resources) {
    const auto request = requests.get(name);
    if (request == 0 && cluster::is_scalar_resource(name)) continue;
    const auto amounts = amounts_of(snapshot, name, usage);
    const auto* device_class = snapshot.objects().extended_classes().find(name);
    if (!amounts && !device_class) continue;
    if (!device_class && amounts->allocatable.column() && amounts->used.column()) {
      const ResourceColumns columns{amounts->allocatable.column(), amounts->used.column()};
      scored.push_back({name, usage, columns, request, weight});
      continue;
    }
    auto own = own_columns(amounts, snapshot.chunks());
    if (device_class) add_devices(*own, *device_class, snapshot, feasible, supply);
    const ResourceColumns columns{&own->allocatable, &own->used};
    scored.push_back({name, usage, columns, request, weight, std::move(own)});
  }
  return scored;
}

bool rows_are_small(const ScoredResource& resource, const ChunkRows& rows) {
  const auto bits = all_bits(amounts_of(*resource.columns.allocatable, rows),
                             amounts_of(*resource.columns.used, rows), rows.count) |
                    static_cast<std::uint64_t>(resource.request);
  return bits < static_cast<std::uint64_t>(kSmall);
}

void declare(std::string_view resource, Usage usage, const ResourceColumns& columns,
             framework::RowInputs& inputs) {
  inputs.columns.push_back({framework::label_of(resource, 0), columns.allocatable});
  inputs.columns.push_back({framework::label_of(resource, usage == Usage::requested ? 1 : 2), columns.used});
}

void declare(std::span<const ScoredResource> resources, framework::RowInputs& inputs) {
  for (const auto& resource : resources) {
    inputs.asks.insert(inputs.asks.end(), {resource.request, resource.weight});
    declare(resource.name, resource.usage, resource.columns, inputs);
  }
}

}  // namespace podium::plugins
