// The API server's validation of a Job's spec, but for its pod template: also that of a CronJob's Jobs.
//
// Threads: pure functions. Errors: problems in the API server's words.
// Source: pkg/apis/batch/validation (validateJobSpec).
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

#include "base/field_path.h"
#include "base/problems.h"

namespace podium::explain {

// `path`: of the spec.
void check_job_spec(const boost::json::value& spec, const FieldPath& path, Problems& problems);

// A Job with this name: the host names of indexed pods have the index behind it.
void check_job_name(std::string_view name, const boost::json::value& spec, const FieldPath& path,
                    Problems& problems);

}  // namespace podium::explain
