// Consumable capacity: the amount of a device's capacity that a request takes, and whether it is available.
//
// Threads: pure functions. Errors: upstream's text for amounts that it cannot calculate, which ends the
// search. A request that does not fit gives false.
// Source: dynamic-resource-allocation/structured/internal/incubating consumable_capacity.go.
#pragma once

#include <expected>
#include <string>

#include "api/values/device.h"
#include "scheduler/cluster/devices_in_use.h"

namespace podium::devices {

// True if the request fits into the available amount of each capacity. `consumed`: by allocated claims;
// `allocating`: by the pod's own claims; null: nothing.
std::expected<bool, std::string> fits_capacity(const api::ByName<api::WrittenQuantity>& request,
                                               const api::Device& device,
                                               const cluster::DeviceAmounts* consumed,
                                               const cluster::DeviceAmounts* allocating);

// The amount that the request takes of each capacity, rounded up by the capacity's policy.
api::ByName<api::WrittenQuantity> consumed_capacity(const api::ByName<api::WrittenQuantity>& request,
                                                    const api::Device& device);

}  // namespace podium::devices
