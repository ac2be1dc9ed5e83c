#include "scheduler/plugins/node_resources/node_resources.h"

#include "scheduler/plugins/shared/exact_division.h"

namespace podium::plugins {
namespace {

PODIUM_VECTOR_CLONES
std::uint64_t all_bits(const std::int64_t* a, const std::int64_t* b) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kChunkRows; ++i) bits |= static_cast<std::uint64_t>(a[i] | b[i]);
  return bits;
}

}  // namespace

std::optional<ResourceColumns> columns_of(const cluster::Snapshot& snapshot, std::string_view resource,
                                          Usage usage) {
  const bool non_zero = usage == Usage::non_zero;
  if (resource == "cpu") {
    return ResourceColumns{&snapshot.allocatable_milli_cpu,
                           non_zero ? &snapshot.non_zero_milli_cpu : &snapshot.requested_milli_cpu};
  }
  if (resource == "memory") {
    return ResourceColumns{&snapshot.allocatable_memory,
                           non_zero ? &snapshot.non_zero_memory : &snapshot.requested_memory};
  }
  if (resource == "ephemeral-storage") {
    return ResourceColumns{&snapshot.allocatable_ephemeral, &snapshot.requested_ephemeral};
  }
  const auto* scalar = snapshot.scalar(resource);
  if (!scalar) return std::nullopt;
  return ResourceColumns{&scalar->allocatable, &scalar->requested};
}

std::vector<WeightedResource> decode_resources(const boost::json::object& object) {
  std::vector<WeightedResource> resources;
  const auto* list = object.if_contains("resources");
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
                                             const cluster::Snapshot& snapshot, Usage usage) {
  std::vector<ScoredResource> scored;
  for (const auto& [name, weight] : resources) {
    const auto request = requests.get(name);
    if (request == 0 && cluster::is_scalar_resource(name)) continue;
    if (const auto columns = columns_of(snapshot, name, usage)) scored.push_back({*columns, request, weight});
  }
  return scored;
}

bool chunk_is_small(const ScoredResource& resource, std::size_t chunk) {
  const auto bits = all_bits(resource.columns.allocatable->chunk(chunk).data(),
                             resource.columns.used->chunk(chunk).data()) |
                    static_cast<std::uint64_t>(resource.request);
  return bits < static_cast<std::uint64_t>(kSmall);
}

}  // namespace podium::plugins
