// adminAccess to devices: the API server refuses claims with it, and templates of claims, in a namespace
// without the label resource.kubernetes.io/admin-access: "true".
//
// Threads: pure functions. Errors: none.
// Source: pkg/registry/resource (AuthorizedForAdmin), for ResourceClaims and ResourceClaimTemplates.
#pragma once

#include <cstdint>
#include <string>

#include "api/admission/admission.h"
#include "api/values/device.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

inline constexpr const char* kNoAdminAccess =
    "admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the "
    "containing namespace";

enum class AdminAccess : std::uint8_t {
  allowed,
  refused,
  unknown,  // a dump may lack the namespace
};
AdminAccess admin_access_in(const std::string& ns, const cluster::Snapshot& snapshot);

bool asks_admin_access(const api::ClaimSpec& claim);

// Moves the templates of `objects` that the API server refuses in this namespace to those that it refused.
void refuse_admin_access(const std::string& ns, const cluster::Snapshot& snapshot,
                         api::AdmissionObjects& objects);

}  // namespace podium::explain
