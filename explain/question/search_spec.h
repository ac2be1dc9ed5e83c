// SearchSpec: spec.search of a what-if, a question about the cluster and not about a pod.
//
// Threads: values and pure functions. Errors: problems with their paths.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/values/device.h"
#include "api/values/node.h"
#include "api/values/objects.h"
#include "explain/question/spec_reader.h"

namespace podium::explain {

inline constexpr std::size_t kMostShapes = 512;     // that are tried: a cloud's catalogue has some hundreds
inline constexpr std::int64_t kMostOfShape = 1000;  // nodes of one shape

// What new nodes are like.
struct Shape {
  std::string name;
  std::string like;                             // a node of the cluster; empty: `node`
  std::optional<api::Node> node;                // the new node, except for its name
  std::vector<api::ResourceSlice> slices = {};  // of its devices, without their node
  std::optional<api::CsiNode> drivers = {};     // of its volumes; nullopt: no driver, and so no limit
  std::optional<std::int64_t> price;            // of one node, in millionths
  std::optional<std::int32_t> most;             // nodes
};

// A different weight of a strategy; 0 disables it.
struct StrategyWeight {
  std::string name;
  std::int64_t weight = 1;
};

struct SearchSpec {
  enum class Kind : std::uint8_t { for_pending, could_go, compare_weights };
  Kind kind = Kind::for_pending;
  std::vector<Shape> shapes = {};            // of for_pending; none: those of the cluster's nodes
  std::vector<StrategyWeight> weights = {};  // of compare_weights: of each profile that has the strategy
};

// Reads the list `strategies` of an object.
std::vector<StrategyWeight> read_weights(ObjectReader& reader, Problems& problems);
// Reads spec.search.
SearchSpec read_search(const boost::json::value& value, const FieldPath& path, Problems& problems);
// Reads the list `shapes` of an object.
std::vector<Shape> read_shapes(ObjectReader& reader, Problems& problems);

}  // namespace podium::explain
