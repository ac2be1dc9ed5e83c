// Taints of devices.
//
// Threads: pure functions. Source: dynamic-resource-allocation/resourceclaim devicetoleration.go.
#pragma once

#include <span>

#include "api/values/device.h"

namespace podium::devices {

bool tolerates(const api::DeviceToleration& toleration, const api::DeviceTaint& taint);

// True if the taint forbids allocation, and none of these tolerate it.
bool forbids(const api::DeviceTaint& taint, std::span<const api::DeviceToleration> tolerations);

// The same of any taint of the device itself.
bool is_tainted(const api::Device& device, std::span<const api::DeviceToleration> tolerations);

}  // namespace podium::devices
