// Binding conditions: a driver must make them true for a device before the pod with the device is bound.
//
// Source: plugins/dynamicresources isClaimReadyForBinding, isClaimTimeout.
// Threads: pure functions. Errors: upstream's texts.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "api/values/device.h"

namespace podium::plugins {

// Whether the drivers have made an allocated claim's devices ready. Devices without conditions are ready.
struct DeviceBinding {
  enum class State : std::uint8_t { ready, pending, failed };
  State state = State::ready;
  std::string error{};  // of failed
};
DeviceBinding device_binding(const api::ResourceClaim& claim);

bool has_binding_conditions(const api::Allocation& allocation);
// True if some devices have conditions and the allocation is older than the timeout.
bool is_binding_overdue(const api::ResourceClaim& claim, Wall now, std::chrono::milliseconds timeout);
// No pod can use the allocation: a device's binding failed, or takes too long.
bool is_binding_lost(const api::ResourceClaim& claim, Wall now, std::chrono::milliseconds timeout);

}  // namespace podium::plugins
