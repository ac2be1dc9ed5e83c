// Makes the requests of the claim for a pod's extended resources, those that devices serve.
//
// Each long-lived container has its own request. An init container uses the devices of the containers that
// run after it, and requests the missing ones; the largest such request of all init containers counts.
// Source: plugins/dynamicresources extendeddynamicresources.go.
// Threads: pure functions.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/device.h"
#include "api/values/pod.h"

namespace podium::devices {

struct ExtendedRequests {
  std::vector<api::DeviceRequest> requests;  // container-<i>-request-<j>, sorted by name
  std::vector<api::PodExtendedResourceClaim::Mapping> mappings;
};

// `resources`: those that devices serve on the node, sorted. `class_of`: the name of its device class.
ExtendedRequests extended_requests(const api::Pod& pod, std::span<const std::string> resources,
                                   const std::function<std::string(std::string_view)>& class_of);

}  // namespace podium::devices
