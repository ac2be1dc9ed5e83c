// What NodeResourcesFit and NodeResourcesBalancedAllocation share: resources as columns, and their arguments.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/column_scan.h"

namespace podium::plugins {

// The columns of one resource. What pods take up is counted as requested, or with defaults for cpu and memory
// that nobody requests (upstream's NonZeroRequested).
struct ResourceColumns {
  const cluster::Column<std::int64_t>* allocatable;
  const cluster::Column<std::int64_t>* used;
};
enum class Usage { requested, non_zero };
// nullopt where no node and no placed pod knows the resource.
std::optional<ResourceColumns> columns_of(const cluster::Snapshot& snapshot, std::string_view resource,
                                          Usage usage);

struct WeightedResource {
  std::string name;
  std::int64_t weight = 1;
};
// `resources` of an arguments object; cpu and memory where that is absent or empty.
std::vector<WeightedResource> decode_resources(const boost::json::object& object);

// One resource that takes part in the score of a pod.
struct ScoredResource {
  ResourceColumns columns;
  std::int64_t request;
  std::int64_t weight;
};
// Leaves out what upstream does: scalar resources that the pod does not request, and resources that no node
// has.
std::vector<ScoredResource> scored_resources(const std::vector<WeightedResource>& resources,
                                             const cluster::Resources& requests,
                                             const cluster::Snapshot& snapshot, Usage usage);

// All amounts of this chunk, and the request, are small enough for the exact arithmetic in doubles.
bool chunk_is_small(const ScoredResource& resource, std::size_t chunk);

}  // namespace podium::plugins
