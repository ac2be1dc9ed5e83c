#include "explain/workload/admin_access.h"

#include <algorithm>

#include "api/values/objects.h"

namespace podium::explain {

AdminAccess admin_access_in(const std::string& ns, const cluster::Snapshot& snapshot) {
  const auto* found = snapshot.objects().find<api::Namespace>("", ns);
  if (!found) return AdminAccess::unknown;
  const auto* label = found->meta.labels.find("resource.kubernetes.io/admin-access");
  if (label && *label == "true") return AdminAccess::allowed;
  // Each namespace of an API server has a label with its name.
  const bool is_only_a_name = found->meta.labels.begin() == found->meta.labels.end() && !found->meta.created;
  return is_only_a_name ? AdminAccess::unknown : AdminAccess::refused;
}

// Subrequests have no adminAccess.
bool asks_admin_access(const api::ClaimSpec& claim) {
  return std::ranges::any_of(claim.requests, [](const api::DeviceRequest& request) {
    return request.exactly && request.exactly->admin_access;
  });
}

void refuse_admin_access(const std::string& ns, const cluster::Snapshot& snapshot,
                         api::AdmissionObjects& objects) {
  if (admin_access_in(ns, snapshot) != AdminAccess::refused) return;
  std::erase_if(objects.claim_templates, [&](const auto& each) {
    const auto& [name, made] = each;
    if (!asks_admin_access(made.spec)) return false;
    objects.refused_claim_templates.insert(name);
    return true;
  });
}

}  // namespace podium::explain
