#include "scheduler/plugins/node_resources/strategies.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "scheduler/plugins/shared/arg_names.h"
#include "scheduler/plugins/shared/exact_division.h"

namespace podium::plugins {
namespace {

using namespace framework;
using Type = ScoringStrategy::Type;

// Per row of a chunk: the weighted sum of scores and the sum of weights.
struct Sums {
  std::array<std::int32_t, kChunkRows> score, weight;
};

// The loops for amounts below kSmall. Rows without the resource add nothing. The loops compare integers and
// select by masks; with other code GCC emits branches and does not vectorise.

PODIUM_VECTOR_CLONES_WIDE
void add_least(const std::int64_t* allocatable, const std::int64_t* used, std::int64_t request,
               std::int32_t weight, std::int32_t* __restrict scores, std::int32_t* __restrict weights,
               std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto all = allocatable[i], difference = all - (used[i] + request);
    const auto left = difference & -static_cast<std::int64_t>(difference > 0);
    const std::int32_t counted = weight & -static_cast<std::int32_t>(all > 0);
    scores[i] += small_percent(left, all) * counted;
    weights[i] += counted;
  }
}

PODIUM_VECTOR_CLONES
void add_most(const std::int64_t* allocatable, const std::int64_t* used, std::int64_t request,
              std::int32_t weight, std::int32_t* __restrict scores, std::int32_t* __restrict weights,
              std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto all = allocatable[i], taken = used[i] + request;
    const std::int32_t counted = weight & -static_cast<std::int32_t>(all > 0);
    scores[i] += small_percent(taken < all ? taken : all, all) * counted;
    weights[i] += counted;
  }
}

PODIUM_VECTOR_CLONES
void add_by_utilization(const std::int64_t* allocatable, const std::int64_t* used, std::int64_t request,
                        std::int32_t weight, const std::int32_t* table, std::int32_t* __restrict scores,
                        std::int32_t* __restrict weights, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto all = allocatable[i], taken = used[i] + request;
    const auto score = table[small_percent(taken < all ? taken : all, all)];
    const std::int32_t counted = weight & -static_cast<std::int32_t>((all > 0) & (score > 0));
    scores[i] += score * counted;
    weights[i] += counted;
  }
}

// Truncating float division is exact here while 101 times the sum of all weights is below
// 2^24; see exact_division.h.
PODIUM_VECTOR_CLONES
void average_light(const std::int32_t* scores, const std::int32_t* weights, std::uint8_t* __restrict out,
                   std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const auto weight = static_cast<float>(weights[i] > 0 ? weights[i] : 1);
    out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(static_cast<float>(scores[i]) / weight));
  }
}

PODIUM_VECTOR_CLONES
void average(const std::int32_t* scores, const std::int32_t* weights, std::uint8_t* __restrict out,
             std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = weights[i] > 0 ? weights[i] : 1;
    out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(static_cast<double>(scores[i]) / weight));
  }
}

// Rounds half up. The quotient of such small integers is either exactly a half or far enough from one.
PODIUM_VECTOR_CLONES
void average_rounded(const std::int32_t* scores, const std::int32_t* weights, std::uint8_t* __restrict out,
                     std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = weights[i] > 0 ? weights[i] : 1;
    out[i] =
        static_cast<std::uint8_t>(static_cast<std::int32_t>(static_cast<double>(scores[i]) / weight + 0.5));
  }
}

class AllocationScorer final : public RowScorer {
 public:
  AllocationScorer(const ScoringStrategy& strategy, std::vector<ScoredResource> resources)
      : strategy_(strategy), resources_(std::move(resources)) {
    for (const auto& resource : resources_) total_weight_ += resource.weight;
  }

  void declare(RowInputs& inputs) const override { plugins::declare(resources_, inputs); }
  void score_rows(const ChunkRows& rows, std::uint8_t* out) const override {
    Sums sums;
    std::fill_n(sums.score.begin(), rows.count, 0);
    std::fill_n(sums.weight.begin(), rows.count, 0);
    for (const auto& resource : resources_) {
      if (rows_are_small(resource, rows)) {
        add_small(resource, rows, sums);
      } else {
        add_large(resource, rows, sums);
      }
    }
    finish(sums, out, rows.count);
  }

 private:
  void add_small(const ScoredResource& resource, const ChunkRows& rows, Sums& sums) const {
    const auto* allocatable = amounts_of(*resource.columns.allocatable, rows);
    const auto* used = amounts_of(*resource.columns.used, rows);
    const auto request = resource.request;
    const auto weight = static_cast<std::int32_t>(resource.weight);
    switch (strategy_.type) {
      case Type::least_allocated:
        add_least(allocatable, used, request, weight, sums.score.data(), sums.weight.data(), rows.count);
        break;
      case Type::most_allocated:
        add_most(allocatable, used, request, weight, sums.score.data(), sums.weight.data(), rows.count);
        break;
      case Type::requested_to_capacity_ratio:
        add_by_utilization(allocatable, used, request, weight, strategy_.by_utilization.data(),
                           sums.score.data(), sums.weight.data(), rows.count);
        break;
    }
  }

  void add_large(const ScoredResource& resource, const ChunkRows& rows, Sums& sums) const {
    const auto* allocatable = amounts_of(*resource.columns.allocatable, rows);
    const auto* used = amounts_of(*resource.columns.used, rows);
    for (std::size_t i = 0; i < rows.count; ++i) {
      const auto all = allocatable[i];
      if (all <= 0) continue;
      const auto taken = std::clamp<std::int64_t>(cluster::saturating_add(used[i], resource.request), 0, all);
      auto score = percent(strategy_.type == Type::least_allocated ? all - taken : taken, all);
      if (strategy_.type == Type::requested_to_capacity_ratio) {
        score = strategy_.by_utilization[score];
        if (score <= 0) continue;
      }
      sums.score[i] += static_cast<std::int32_t>(score * resource.weight);
      sums.weight[i] += static_cast<std::int32_t>(resource.weight);
    }
  }

  void finish(const Sums& sums, std::uint8_t* out, std::size_t rows) const {
    if (strategy_.type == Type::requested_to_capacity_ratio) {
      average_rounded(sums.score.data(), sums.weight.data(), out, rows);
    } else if (total_weight_ * 101 < 1 << 24) {
      average_light(sums.score.data(), sums.weight.data(), out, rows);
    } else {
      average(sums.score.data(), sums.weight.data(), out, rows);
    }
  }

  const ScoringStrategy& strategy_;
  std::vector<ScoredResource> resources_;
  std::int64_t total_weight_ = 0;
};

std::int64_t integer(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value && value->is_int64() ? value->get_int64() : 0;
}

}  // namespace

std::vector<std::int32_t> tabulate_shape(const std::vector<ShapePoint>& shape) {
  const auto at = [&](std::int64_t p) -> std::int64_t {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (p > shape[i].utilization) continue;
      const auto score = shape[i].score * 10;
      if (i == 0) return score;
      const auto& from = shape[i - 1];
      return from.score * 10 +
             (score - from.score * 10) * (p - from.utilization) / (shape[i].utilization - from.utilization);
    }
    return shape.empty() ? 0 : shape.back().score * 10;
  };
  std::vector<std::int32_t> table(101);
  for (std::int64_t p = 0; p <= 100; ++p) table[p] = static_cast<std::int32_t>(at(p));
  return table;
}

std::vector<ShapePoint> decode_shape(const boost::json::object& object) {
  std::vector<ShapePoint> shape;
  const auto* list = object.if_contains(arg_names::kShape);
  if (!list || !list->is_array()) return shape;
  for (const auto& point : list->get_array()) {
    if (const auto* fields = point.if_object()) {
      shape.push_back({integer(*fields, "utilization"), integer(*fields, "score")});
    }
  }
  return shape;
}

ScoringStrategy decode_scoring_strategy(const boost::json::object& object) {
  ScoringStrategy strategy{.resources = decode_resources(object)};
  const auto* type = object.if_contains("type");
  if (type && *type == "MostAllocated") strategy.type = Type::most_allocated;
  if (!type || *type != "RequestedToCapacityRatio") return strategy;
  strategy.type = Type::requested_to_capacity_ratio;
  const auto* ratio = object.if_contains(arg_names::kRequestedToCapacityRatio);
  const bool given = ratio && ratio->is_object();
  strategy.by_utilization = tabulate_shape(decode_shape(given ? ratio->get_object() : boost::json::object()));
  return strategy;
}

std::unique_ptr<NodeScorer> make_allocation_scorer(const ScoringStrategy& strategy,
                                                   const cluster::Resources& requests,
                                                   const Snapshot& snapshot, const NodeMask& feasible,
                                                   DeviceSupply& supply) {
  return std::make_unique<AllocationScorer>(
      strategy, scored_resources(strategy.resources, requests, snapshot, Usage::non_zero, feasible, supply));
}

}  // namespace podium::plugins
