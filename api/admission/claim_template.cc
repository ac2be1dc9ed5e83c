#include "api/admission/claim_template.h"

#include <algorithm>

namespace podium::api {
namespace {

// Upstream draws the end of the name; this one is the same each time.
ResourceClaim claim_of(const ResourceClaimTemplate& made_of, const Pod& pod, const std::string& entry) {
  ResourceClaim claim;
  claim.meta.name = pod.meta.name + "-" + entry;
  claim.meta.namespace_ = pod.meta.namespace_;
  claim.meta.uid = pod.meta.uid + "-" + entry;
  claim.meta.labels = made_of.claim_meta.labels;
  claim.meta.annotations = made_of.claim_meta.annotations;
  claim.meta.annotations.set("resource.kubernetes.io/pod-claim-name", entry);
  claim.meta.owners = {
      {.api_version = "v1", .kind = "Pod", .name = pod.meta.name, .uid = pod.meta.uid, .controller = true}};
  claim.spec = made_of.spec;
  return claim;
}

}  // namespace

void make_claims_of_templates(const ClaimTemplates& templates, Pod& pod,
                              const std::function<void(ResourceClaim)>& take) {
  for (const auto& entry : pod.resource_claims) {
    if (!entry.template_name) continue;
    const auto known =
        std::ranges::find(pod.resource_claim_statuses, entry.name, &PodResourceClaimStatus::name);
    if (known != pod.resource_claim_statuses.end()) continue;
    const auto made_of = templates.find(*entry.template_name);
    if (made_of == templates.end()) continue;
    auto claim = claim_of(made_of->second, pod, entry.name);
    pod.resource_claim_statuses.push_back({.name = entry.name, .claim_name = claim.meta.name});
    take(std::move(claim));
  }
}

}  // namespace podium::api
