// The use of a node by the pods on it, as the scheduler counts it.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <string>

#include "simulate/server/store.h"

namespace podium::simulate {

struct NodeUse {
  std::int64_t cpu = 0, pods = 0;  // milli-CPUs
};
// Counts the pods on the node with at least this priority.
NodeUse use_of(const Store& store, const std::string& node, std::int64_t least_priority);

// True if the pod would fit after evicting all pods with a lower priority than `least_priority`.
bool fits(const Store& store, const json::value& pod, const json::value& node, std::int64_t least_priority);

}  // namespace podium::simulate
