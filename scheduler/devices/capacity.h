// Consumable capacity: how much of a device's capacity a request takes, and whether that is left.
//
// Threads: pure functions. Errors: none; what does not fit is false.
// Source: dynamic-resource-allocation/structured/internal/incubating consumable_capacity.go.
#pragma once

#include "api/device.h"
#include "scheduler/cluster/devices_in_use.h"

namespace podium::devices {

// True if the request fits into what is left of each capacity. `consumed`: by allocated claims, `allocating`:
// by the pod's own; null: nothing.
bool fits_capacity(const api::ByName<api::WrittenQuantity>& request, const api::Device& device,
                   const cluster::DeviceAmounts* consumed, const cluster::DeviceAmounts* allocating);

// What the request takes of each capacity, rounded up as the capacity's policy says.
api::ByName<api::WrittenQuantity> consumed_capacity(const api::ByName<api::WrittenQuantity>& request,
                                                    const api::Device& device);

}  // namespace podium::devices
