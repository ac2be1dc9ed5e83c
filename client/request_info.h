// RequestInfo: a request to the API server in the terms of RBAC, for logs and metrics.
//
// Threads: pure functions. Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::client {

struct RequestInfo {
  std::string verb;      // "create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"
  std::string resource;  // "pods/binding"; the path if it is not of a resource
  bool operator==(const RequestInfo&) const = default;
};

// `target`: path and query.
RequestInfo request_info(std::string_view method, std::string_view target);

// For a log line, from the request that Api puts before an error's message: "verb=create
// resource=pods/binding "; empty if there is none.
std::string request_fields(const Error& error);

// True if a right is missing, or if the API server did not accept the credentials. False for a 403 of
// admission: quota, policies, webhooks, a terminating namespace.
bool lacks_right(const Error& error);

}  // namespace podium::client
