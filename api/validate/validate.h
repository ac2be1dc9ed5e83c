// Validation of pods and nodes, as the API server does it, for manifests and what-ifs.
//
// Covers the fields that podium reads. Findings have upstream's form and mostly its words:
// "spec.containers[0].image: Required value". Objects from an API server need no validation.
// Source: pkg/apis/core/validation. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/finding.h"

namespace podium::api {

struct Node;
struct Pod;

// All findings; empty: the API server would accept the object. Defaults have to be set.
std::vector<Finding> validate(const Pod&);
std::vector<Finding> validate(const Node&);

// Details of findings, some in the API server's words.
inline constexpr std::string_view kSubdomainError = "must be a lowercase RFC 1123 subdomain";
inline constexpr std::string_view kDnsLabelError = "must be a lowercase RFC 1123 label";
inline constexpr std::string_view kTaintEffectError = "must be NoSchedule, PreferNoSchedule or NoExecute";
inline constexpr std::string_view kGatedNodeError =
    "cannot be set until all schedulingGates have been cleared";
inline constexpr std::string_view kHostUsersError = "when `hostUsers` is false";

bool is_dns_subdomain(std::string_view name);   // the names of most objects
bool is_dns_label(std::string_view name);       // the names of namespaces and containers
bool is_qualified_name(std::string_view name);  // label keys, resource names, gates: [prefix/]name
bool is_label_value(std::string_view value);

}  // namespace podium::api
