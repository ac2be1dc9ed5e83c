// The CEL environment of a device: the variable `device` that selectors read.
//
// device.driver, device.allowMultipleAllocations, device.attributes[domain][id], device.capacity[domain][id].
// A name without a domain has the driver's. An unknown domain is an empty map.
// Threads: pure functions. Errors: upstream's texts for attributes that cannot be converted.
// Source: dynamic-resource-allocation/cel compile.go.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "api/values/device.h"
#include "cel/value.h"

namespace podium::devices {

std::expected<cel::Value, std::string> cel_device(const api::Device& device, std::string_view driver);

// Converts the value of a selector to a bool, or returns upstream's error for another type.
std::expected<bool, std::string> cel_bool(const cel::Value& value);

}  // namespace podium::devices
