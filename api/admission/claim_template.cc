#include "api/admission/claim_template.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

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
  std::set<std::string_view> known;
  for (const auto& status : pod.resource_claim_statuses) known.insert(status.name);
  std::vector<PodResourceClaimStatus> made;
  for (const auto& entry : pod.resource_claims) {
    const auto made_of = entry.template_name ? templates.find(*entry.template_name) : templates.end();
    if (made_of == templates.end() || !known.insert(entry.name).second) continue;
    auto claim = claim_of(made_of->second, pod, entry.name);
    made.push_back({.name = entry.name, .claim_name = claim.meta.name});
    take(std::move(claim));
  }
  for (auto& status : made) pod.resource_claim_statuses.push_back(std::move(status));
}

}  // namespace podium::api
