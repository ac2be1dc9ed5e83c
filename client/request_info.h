// request_info(): a request to the API server in the terms of RBAC, for errors, logs and metrics.
//
// Threads: pure functions. Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace podium::client {

// `target`: path and query.
RequestInfo request_info(std::string_view method, std::string_view target);

// For a log line: "verb=create resource=pods/binding "; empty if the error is not of a request.
std::string request_fields(const RequestInfo& request);
inline std::string request_fields(const Error& error) { return request_fields(error.request); }

}  // namespace podium::client
