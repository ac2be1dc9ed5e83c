// The spec of a PersistentVolumeClaim: of a file, of a StatefulSet's template, or of an ephemeral volume.
//
// Threads: pure functions. Errors: findings in the API server's words.
// Source: pkg/apis/core/validation (ValidatePersistentVolumeClaimSpec).
#pragma once

#include <boost/json/value.hpp>

#include "explain/workload/field_path.h"
#include "explain/workload/spec_findings.h"

namespace podium::explain {

// `claim`: the object with the spec. `path`: its own.
void check_claim_spec(const boost::json::value& claim, const FieldPath& path, SpecFindings& findings);

}  // namespace podium::explain
