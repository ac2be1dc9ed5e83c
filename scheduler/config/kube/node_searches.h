// percentageOfNodesToScore: which nodes a profile evaluates, and what 0 means (see docs/decisions/0006).
//
// Threads: pure functions.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <vector>

#include "scheduler/config/values/config.h"
#include "scheduler/framework/node_sampling.h"

namespace podium::config {

// True if the file, before defaulting, sets 0 at the top level or in a profile.
bool writes_zero_percentage(const boost::json::object& config);

// The percentage of each profile: its own or the top-level one. `config` must be defaulted.
std::vector<std::int64_t> percentages(const boost::json::object& config);

// nullopt: evaluate all nodes. `adaptive`: 0 means upstream's adaptive rule, not all nodes.
std::optional<framework::NodeSampling> node_search(std::int64_t percentage, const framework::Profile& profile,
                                                   const std::vector<Extender>& extenders, bool adaptive);

}  // namespace podium::config
