// Policy: the scheduler's configuration format before Kubernetes 1.23. It is refused, with what to write
// instead.
//
// Source: the registry of predicates and priorities of kube-scheduler 1.22 (pkg/scheduler/framework/plugins/legacy_registry.go).
// Threads: pure functions.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "scheduler/config/findings.h"

namespace podium::config {

// One finding for the document and one for each of its predicates, priorities and extenders.
void refuse_policy(const boost::json::object& policy, Findings& findings);

// The same in a sentence, for the flags that gave such a file.
std::string policy_is_gone();

}  // namespace podium::config
