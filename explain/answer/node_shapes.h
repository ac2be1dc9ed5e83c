// The shapes of nodes that a search may add, and what makes nodes alike: labels that are not of one node
// only, taints that stay on a new node, and capacity.
//
// Threads: pure functions. Errors: Kind::invalid, "path: reason": a node that does not exist.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "api/values/node.h"
#include "api/values/pod.h"
#include "base/result.h"
#include "explain/answer/budget.h"
#include "explain/answer/new_nodes.h"
#include "explain/answer/waiting.h"
#include "explain/question/search_spec.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

using LabelKeys = std::set<std::string, std::less<>>;

// The labels that the pod's constraints are about.
LabelKeys keys_of_constraints(const api::Pod& pod);

// Labels that have a different value on each node, such as an instance id.
LabelKeys keys_of_one_node(const cluster::Snapshot& fork, const Budget& budget);

// Equal for nodes that are alike but for these labels.
std::string shape_of(const api::Node& node, const LabelKeys& without);

// A shape that a search may add.
struct KnownShape {
  Shape shape;
  NodeModel model;        // of the new nodes
  std::int64_t size = 0;  // its place among all shapes, from 1, the smallest first
  std::int32_t most = 0;  // nodes
};

inline constexpr std::int32_t kMostAddedNodes = 1000;  // of all shapes
// With at most this many shapes, each is tried in each step.
inline constexpr std::size_t kMostExhaustive = 16;

struct KnownShapes {
  std::vector<KnownShape> list;
  std::size_t total = 0;   // more than in the list: there are too many, or they are too large
  bool is_priced = false;  // all of them
};

// The shapes that were given, or those of the cluster's nodes: the shapes that the most nodes have.
// A place (zone, region) distinguishes shapes only if a waiting pod may depend on it.
Result<KnownShapes> known_shapes(const std::vector<Shape>& given, const FieldPath& path,
                                 const Waiters& waiters, const Budget& budget, const cluster::Snapshot& fork);

}  // namespace podium::explain
