// The API server's validation of how a Deployment, a StatefulSet or a DaemonSet replaces its pods.
//
// Threads: pure functions. Errors: problems.
// Source: pkg/apis/apps/validation (ValidateDeploymentStrategy, ValidateStatefulSetSpec,
// ValidateDaemonSetUpdateStrategy), with the defaults of pkg/apis/apps/v1.
#pragma once

#include <boost/json/value.hpp>

#include "base/field_path.h"
#include "base/problems.h"

namespace podium::explain {

// `path`: of the workload's spec.
void check_deployment_strategy(const boost::json::value& spec, const FieldPath& path, Problems& problems);
void check_stateful_set_strategy(const boost::json::value& spec, const FieldPath& path, Problems& problems);
void check_daemon_set_strategy(const boost::json::value& spec, const FieldPath& path, Problems& problems);

}  // namespace podium::explain
