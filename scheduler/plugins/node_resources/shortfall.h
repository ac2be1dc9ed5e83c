// Shortfalls: the missing amount of each resource on the nodes that NodeResourcesFit rejected.
//
// The filter only compares; the amounts are computed here, for reports, from the same columns.
// Threads: a pure function. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/decision.h"

namespace podium::plugins {

struct Shortfall {
  std::string reason;    // the plugin's: "Insufficient cpu"
  std::string resource;  // "cpu"; "pods" for too many pods
  std::string least;     // the least missing amount on any node with that reason, as a quantity: "500m"
  std::string node;      // the node with that amount; the first by name
  std::size_t nodes_without = 0;  // nodes with that reason that have none of the resource at all
};

// One for each reason of NodeResourcesFit in the decision. Omits a reason that holds on no node without the
// pods nominated to the nodes.
std::vector<Shortfall> shortfalls(const cluster::PodInfo& pod, const framework::Decision& decision,
                                  const cluster::Snapshot& snapshot);

// Whether this node has what the pod requests free.
bool has_room(const cluster::PodInfo& pod, cluster::Row row, const cluster::Snapshot& snapshot);

// The amount in the resource's usual unit: milli-CPUs or whole CPUs; bytes as Ki, Mi or Gi, rounded up to
// whole Mi from 1Mi on; a number for other resources.
std::string usual_quantity(std::string_view resource, std::int64_t amount);

}  // namespace podium::plugins
