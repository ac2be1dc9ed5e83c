// Makes the allocations of a solution: the results, configurations and node selector of each claim.
//
// Threads: pure functions. Errors: upstream's texts for node selectors with several terms.
// Source: dynamic-resource-allocation/structured/internal/incubating allocator_incubating.go.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/devices/requests.h"

namespace podium::devices {

std::vector<api::Allocation> allocations(const std::vector<WantedClaim>& claims, const Solution& solution,
                                         std::string_view node, const DeviceFeatures& features,
                                         const std::function<std::string()>& make_share_id);

// The nodes that have the device: from the slice, or from the device itself.
const api::DeviceNodes& nodes_of(const Pick& pick);

// The nodes that can use the devices of one claim; nullopt: all.
using NodeSelector = std::optional<std::vector<api::NodeSelectorTerm>>;
std::expected<NodeSelector, std::string> node_selector(const Solution& solution, std::uint32_t claim,
                                                       std::string_view node);

}  // namespace podium::devices
