// Shared code of NodeResourcesFit and NodeResourcesBalancedAllocation: resource columns and arguments.
//
// Amounts are milli-CPUs for cpu, bytes for memory and ephemeral-storage, and units for other resources.
// Threads: pure functions; results refer to the snapshot.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/devices/inventories.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/shared/column_scan.h"

namespace podium::plugins {

// An amount by node, in one of the snapshot's two forms.
class Amounts {
 public:
  using Chunk = cluster::Column<std::int64_t>::Chunk;

  Amounts(const cluster::Column<std::int64_t>& column) : column_(&column) {}
  Amounts(const cluster::RareColumn<std::int64_t>& rare) : rare_(&rare) {}

  std::int64_t operator[](cluster::Row row) const { return column_ ? (*column_)[row] : (*rare_)[row]; }
  // Refers to the snapshot or to `space`.
  std::span<const std::int64_t, kChunkRows> chunk(std::size_t i, Chunk& space) const {
    return column_ ? column_->chunk(i) : rare_->chunk(i, space);
  }
  const cluster::Column<std::int64_t>* column() const { return column_; }  // null: it is a RareColumn
  cluster::Column<std::int64_t> as_column(std::size_t chunks) const {
    return column_ ? *column_ : rare_->column(chunks);
  }

 private:
  const cluster::Column<std::int64_t>* column_ = nullptr;
  const cluster::RareColumn<std::int64_t>* rare_ = nullptr;
};

// The amounts of one resource. `used` is the sum of the pods' requests. With Usage::non_zero, pods that
// request no cpu or memory count with upstream's defaults (NonZeroRequested).
struct ResourceAmounts {
  Amounts allocatable, used;
};
struct ResourceColumns {
  const cluster::Column<std::int64_t>* allocatable;
  const cluster::Column<std::int64_t>* used;
};
enum class Usage { requested, non_zero };
// The columns of a resource as inputs of a plugin.
void declare(std::string_view resource, Usage usage, const ResourceColumns& columns,
             framework::RowInputs& inputs);
// nullopt: no node and no placed pod has the resource.
std::optional<ResourceAmounts> amounts_of(const cluster::Snapshot& snapshot, std::string_view resource,
                                          Usage usage);

// State kept from one score to the next. Owner: a plugin. Threads: any, concurrently.
struct DeviceSupply {
  devices::Inventories inventories;
  devices::Selectors selectors;
};

struct WeightedResource {
  std::string name;
  std::int64_t weight = 1;
};
// Decodes `resources` of an arguments object; cpu and memory if the field is absent or empty.
std::vector<WeightedResource> decode_resources(const boost::json::object& object);

// One resource that takes part in the score of a pod.
struct ScoredResource {
  std::string_view name;
  Usage usage;
  ResourceColumns columns;
  std::int64_t request;
  std::int64_t weight;
  std::shared_ptr<const void> owned = nullptr;  // columns that the snapshot does not own
};
// Skips the resources that upstream skips: scalar resources that the pod does not request, and resources that
// no node has. On feasible nodes without the resource in allocatable, the devices of the class that backs
// it count.
std::vector<ScoredResource> scored_resources(const std::vector<WeightedResource>& resources,
                                             const cluster::Resources& requests,
                                             const cluster::Snapshot& snapshot, Usage usage,
                                             const cluster::NodeMask& feasible, DeviceSupply& supply);

using framework::ChunkRows;
inline const std::int64_t* amounts_of(const cluster::Column<std::int64_t>& column, const ChunkRows& rows) {
  return column.chunk(rows.chunk).data() + rows.first;
}

// True if all amounts of the rows and the request are below kSmall (shared/exact_division.h).
bool rows_are_small(const ScoredResource& resource, const ChunkRows& rows);

// Declares the requests, the weights and the columns.
void declare(std::span<const ScoredResource> resources, framework::RowInputs& inputs);

}  // namespace podium::plugins
