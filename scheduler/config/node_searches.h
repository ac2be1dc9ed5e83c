// percentageOfNodesToScore: which of a profile's nodes are evaluated, and what a 0 means; docs/decisions/0006
// says why.
//
// Threads: pure functions.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <vector>

#include "scheduler/config/config.h"
#include "scheduler/framework/node_search.h"

namespace podium::config {

// The file, not yet defaulted, writes a 0, for all profiles or for one.
bool writes_zero_percentage(const boost::json::object& config);

// By profile: its own percentage, or that of all. Of a defaulted configuration.
std::vector<std::int64_t> percentages(const boost::json::object& config);

// Nullopt: all nodes are evaluated.
std::optional<framework::NodeSearch> node_search(std::int64_t percentage, const framework::Profile& profile,
                                                 const std::vector<Extender>& extenders, bool adaptive);

}  // namespace podium::config
