// Policy: the scheduler's configuration format before Kubernetes 1.23. podium rejects it; the errors
// name the replacements.
//
// Source: the registry of predicates and priorities of kube-scheduler 1.22
// (pkg/scheduler/framework/plugins/legacy_registry.go).
// Threads: pure functions.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "scheduler/config/schema/file_problems.h"

namespace podium::config {

// Adds one finding for the document, one per predicate and priority, and one for `extenders`.
void refuse_policy(const boost::json::object& policy, Problems& problems);

// The error of the document, also used for the removed --policy-* flags.
std::string policy_removed_message();

}  // namespace podium::config
