// The JSON of what a claim's status gets.
//
// Threads: pure functions. Errors: none. Source: k8s.io/api/resource/v1 types.go.
#pragma once

#include <boost/json/object.hpp>

#include "api/device.h"

namespace podium::plugins {

// status.allocation; fields that are empty are left out.
boost::json::object allocation_json(const api::Allocation& allocation);

}  // namespace podium::plugins
