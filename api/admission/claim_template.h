// The ResourceClaims that kube-controller-manager creates from a pod's templates.
//
// Source: pkg/controller/resourceclaim. Threads: pure functions. Errors: none.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "api/values/device.h"
#include "api/values/pod.h"

namespace podium::api {

// By name, of one namespace.
using ClaimTemplates = std::map<std::string, ResourceClaimTemplate, std::less<>>;

// Makes the claims of the pod's entries that have none yet, hands each to `take`, and writes its name to the
// pod's status. Leaves out entries whose template is not known: such a pod waits for its claim.
void make_claims_of_templates(const ClaimTemplates& templates, Pod& pod,
                              const std::function<void(ResourceClaim)>& take);

}  // namespace podium::api
