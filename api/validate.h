// What the API server refuses, of the fields that scheduling depends on: so that nonsense in a manifest or in
// a what-if is an answer about the manifest and not about the cluster.
//
// Bounded to the fields that podium reads; in upstream's form and mostly its words:
// "spec.containers[0].image: Required value". Source: pkg/apis/core/validation. Objects read back from an API
// server need no validation. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/node.h"
#include "api/pod.h"

namespace podium::api {

// All findings, one "path: problem" each; empty where the object would be accepted. Expects defaults to be
// set.
std::vector<std::string> validate(const Pod&);
std::vector<std::string> validate(const Node&);

bool is_dns_subdomain(std::string_view name);   // the names of most objects
bool is_dns_label(std::string_view name);       // the names of namespaces and containers
bool is_qualified_name(std::string_view name);  // label keys, resource names, gates: [prefix/]name
bool is_label_value(std::string_view value);

}  // namespace podium::api
