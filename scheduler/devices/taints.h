// Taints of devices.
//
// Threads: pure functions. Source: dynamic-resource-allocation/resourceclaim devicetoleration.go.
#pragma once

#include <span>

#include "api/device.h"

namespace podium::devices {

bool tolerates(const api::DeviceToleration& toleration, const api::DeviceTaint& taint);

// True if a taint that forbids allocation is not tolerated.
bool is_tainted(const api::Device& device, std::span<const api::DeviceToleration> tolerations);

}  // namespace podium::devices
