// The scoring strategies of NodeResourcesFit: how good a node is by how full it would be.
//
// Scores are upstream's to the last point, for all amounts that an int64 holds.
// Source: pkg/scheduler/framework/plugins/noderesources {least,most}_allocated.go, requested_to_capacity_ratio.go.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/node_resources/node_resources.h"

namespace podium::plugins {

struct ScoringStrategy {
  enum class Type { least_allocated, most_allocated, requested_to_capacity_ratio };
  Type type = Type::least_allocated;
  std::vector<WeightedResource> resources;
  std::vector<std::int32_t> by_utilization;  // requested_to_capacity_ratio: 0..100 percent to the score
};
// `scoringStrategy` of NodeResourcesFitArgs.
ScoringStrategy decode_scoring_strategy(const boost::json::object& strategy);

// The line through the points of a shape, and its ends' scores beyond them, at 0..100 percent. Points are in
// order of utilization, with scores of 0..10.
struct ShapePoint {
  std::int64_t utilization, score;
};
std::vector<std::int32_t> tabulate_shape(const std::vector<ShapePoint>& shape);
// The points of the field `shape` of this object; none where it has no such list.
std::vector<ShapePoint> decode_shape(const boost::json::object& object);

std::unique_ptr<framework::NodeScorer> make_allocation_scorer(const ScoringStrategy& strategy,
                                                              const cluster::Resources& requests,
                                                              const cluster::Snapshot& snapshot);

}  // namespace podium::plugins
