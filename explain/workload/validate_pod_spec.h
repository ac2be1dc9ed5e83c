// Validation of the fields of a pod's spec that podium does not read otherwise, as the API server does it: a
// pod that it refuses has no place, whatever the nodes have.
//
// api/validate/validate.h validates the fields that api::Pod has. Findings have upstream's form and mostly
// its words. Not validated: security contexts, probes and lifecycle handlers beyond where they may be, and
// the content of volumes. Source: pkg/apis/core/validation.
//
// Threads: pure functions. Errors: none; problems.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/field_path.h"
#include "base/problems.h"

namespace podium::explain {

// `spec`: that of a pod or of a pod template. `claimed`: the volumes that a StatefulSet's controller adds for
// its claim templates.
void check_pod_spec(const boost::json::value& spec, const FieldPath& path, Problems& problems,
                    const std::vector<std::string>& claimed = {});

// The pod's name in DNS. A StatefulSet's controller replaces both fields, so its template may have any value.
void check_host_name(const boost::json::value& spec, const FieldPath& path, Problems& problems);

}  // namespace podium::explain
