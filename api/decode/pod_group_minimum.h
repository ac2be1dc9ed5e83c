// How many pods a PodGroup needs: of scheduling.k8s.io, or of the coscheduling plugin (scheduling.x-k8s.io).
//
// Threads: pure functions. Errors: none; a field that is missing or malformed counts as absent.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>

#include "base/result.h"

namespace podium::api {

// 0: it does not say. A basic group of Kubernetes is of use with one pod.
Result<std::size_t> pod_group_minimum(const boost::json::value& group);

}  // namespace podium::api
