// The scoring strategies of NodeResourcesFit: score a node by its utilization with the pod.
//
// Scores equal upstream's exactly, for all int64 amounts.
// Source: pkg/scheduler/framework/plugins/noderesources {least,most}_allocated.go,
// requested_to_capacity_ratio.go.
// Threads: pure functions; a scorer belongs to one evaluation and refers to strategy and snapshot.
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
  std::vector<std::int32_t> by_utilization;  // requested_to_capacity_ratio: the score at 0..100 percent
};
// Decodes `scoringStrategy` of NodeResourcesFitArgs.
ScoringStrategy decode_scoring_strategy(const boost::json::object& strategy);

// Tabulates a shape at 0..100 percent: linear between the points, constant outside of them. Points are in
// order of utilization, with scores of 0..10; the table has 101 scores of 0..100.
struct ShapePoint {
  std::int64_t utilization, score;
};
std::vector<std::int32_t> tabulate_shape(const std::vector<ShapePoint>& shape);
// Decodes the field `shape` of an arguments object; empty if the field is absent.
std::vector<ShapePoint> decode_shape(const boost::json::object& object);

std::unique_ptr<framework::NodeScorer> make_allocation_scorer(const ScoringStrategy& strategy,
                                                              const cluster::Resources& requests,
                                                              const cluster::Snapshot& snapshot,
                                                              const cluster::NodeMask& feasible,
                                                              DeviceSupply& supply);

}  // namespace podium::plugins
