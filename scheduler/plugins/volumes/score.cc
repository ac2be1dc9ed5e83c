#include "scheduler/plugins/volumes/score.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "scheduler/plugins/node_resources/strategies.h"
#include "scheduler/plugins/shared/exact_division.h"

namespace podium::plugins {
namespace {

using cluster::NodeMask;
using cluster::Row;
using cluster::Snapshot;

// The utilization of one storage class, in bytes.
struct Use {
  std::string_view storage_class;
  std::int64_t requested = 0, capacity = 0;

  std::int64_t percent() const {
    return capacity == 0 || requested > capacity ? 100 : plugins::percent(requested, capacity);
  }
};

Use& use_of(std::vector<Use>& uses, std::string_view storage_class) {
  const auto it = std::ranges::find(uses, storage_class, &Use::storage_class);
  return it != uses.end() ? *it : uses.emplace_back(storage_class);
}

std::vector<Use> uses_of(const std::vector<VolumePlan::Binding>& bindings) {
  std::vector<Use> uses;
  for (const auto& [claim, volume] : bindings) {
    auto& use = use_of(uses, volume->storage_class);
    use.requested = cluster::saturating_add(use.requested, claim->request.value());
    use.capacity = cluster::saturating_add(use.capacity, volume->capacity.value());
  }
  return uses;
}

// All claims of a class share one capacity; as upstream, the capacity of the last claim counts. A capacity
// object with only maximumVolumeSize, which crashes upstream, counts as full.
std::vector<Use> uses_of(const std::vector<VolumePlan::Provision>& provisions) {
  std::vector<Use> uses;
  for (const auto& [claim, capacity] : provisions) {
    if (!capacity) continue;
    auto& use = use_of(uses, capacity->storage_class);
    use.requested = cluster::saturating_add(use.requested, claim->request.value());
    use.capacity = capacity->capacity ? capacity->capacity->value() : 0;
  }
  return uses;
}

class StorageScorer final : public framework::NodeScorer {
 public:
  StorageScorer(const Snapshot& snapshot, const PodClaims& claims, const std::vector<std::int32_t>& table,
                AvailableCache& cache)
      : binder_(snapshot, claims, cache), by_utilization_(table) {}

  // No node has a volume or a capacity that counts.
  bool is_nothing() const { return binder_.delayed_are_alike(); }

  void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
    VolumePlan plan;
    feasible.each([&](Row row) {
      plan.bindings.clear();
      plan.provisions.clear();
      if (binder_.conflicts_at(row, &plan) == 0) out[row] = score_of(plan);
    });
  }

 private:
  // As upstream, volumes to provision count only if there are none to bind.
  std::uint8_t score_of(const VolumePlan& plan) const {
    const auto uses = plan.bindings.empty() ? uses_of(plan.provisions) : uses_of(plan.bindings);
    if (uses.empty()) return 0;
    std::int64_t sum = 0;
    for (const auto& use : uses) sum += by_utilization_[static_cast<std::size_t>(use.percent())];
    return static_cast<std::uint8_t>(std::round(static_cast<double>(sum) / static_cast<double>(uses.size())));
  }

  VolumeBinder binder_;
  const std::vector<std::int32_t>& by_utilization_;
};

}  // namespace

std::vector<std::int32_t> decode_storage_shape(const boost::json::object& args) {
  const auto shape = decode_shape(args);
  return tabulate_shape(shape.empty() ? std::vector<ShapePoint>{{0, 10}, {100, 0}} : shape);
}

std::unique_ptr<framework::NodeScorer> make_storage_scorer(const Snapshot& snapshot, const PodClaims& claims,
                                                           const std::vector<std::int32_t>& by_utilization,
                                                           AvailableCache& cache) {
  if (claims.delayed.empty()) return std::make_unique<framework::SameScore>(0);
  PodClaims waiting;  // only delayed claims affect the score
  waiting.delayed = claims.delayed;
  auto scorer = std::make_unique<StorageScorer>(snapshot, waiting, by_utilization, cache);
  if (scorer->is_nothing()) return std::make_unique<framework::SameScore>(0);
  return scorer;
}

}  // namespace podium::plugins
