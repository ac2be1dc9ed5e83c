// Amounts of memory in thousandths of a byte, as "512m" is: a warning of the API server.
//
// The author means 512M or 512Mi, and the pod asks for one byte.
// Source: pkg/api/pod/warnings.go. Threads: a pure function. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "api/decode/pod_makers.h"

namespace podium::explain {

// Warns about an object that makes pods:
// "web.yaml:12: spec.containers[0].resources.requests.memory: fractional …".
std::vector<std::string> fractional_bytes(const api::SortedObjects::Object& object);

}  // namespace podium::explain
