// request_info(): a request to the API server in the terms of RBAC, for errors and metrics.
//
// Threads: pure functions. Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace podium::client {

// `target`: path and query.
RequestInfo request_info(std::string_view method, std::string_view target);

}  // namespace podium::client
