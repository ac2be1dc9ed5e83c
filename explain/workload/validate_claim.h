// The spec of a PersistentVolumeClaim: of a file, of a StatefulSet's template, or of an ephemeral volume.
//
// Threads: pure functions. Errors: problems in the API server's words.
// Source: pkg/apis/core/validation (ValidatePersistentVolumeClaimSpec).
#pragma once

#include <boost/json/value.hpp>

#include "base/field_path.h"
#include "base/problems.h"

namespace podium::explain {

// `claim`: the object with the spec. `path`: its own.
void check_claim_spec(const boost::json::value& claim, const FieldPath& path, Problems& problems);

}  // namespace podium::explain
