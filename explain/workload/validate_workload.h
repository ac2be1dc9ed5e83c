// Validation of workloads and of pod templates, as the API server does it on creation: what their pods alone
// do not show.
//
// api/validate/validate.h validates the pods themselves, after admission. Findings have upstream's form and
// mostly its words. Sources: pkg/apis/apps/validation, pkg/apis/batch/validation, ValidatePodTemplateSpec,
// ValidatePodTemplateSpecForRC and ValidatePodCreate of pkg/apis/core/validation.
//
// Threads: pure functions. Errors: Kind::invalid with all findings, "path: problem", joined by "; ".
#pragma once

#include <boost/json/value.hpp>

#include "base/field_path.h"
#include "base/result.h"
#include "explain/workload/workload.h"

namespace podium::explain {

// `value`: a manifest of this kind.
Result<void> validate_workload(const boost::json::value& value, Subject::Kind kind, const FieldPath& path);
// `value`: a pod template without a workload.
Result<void> validate_template(const boost::json::value& value, const FieldPath& path);

}  // namespace podium::explain
