#include "api/values/pod.h"

#include <algorithm>

namespace podium::api {

const std::optional<std::string>* Pod::claim_name(const PodResourceClaim& entry) const {
  if (entry.claim_name) return &entry.claim_name;
  const auto made = std::ranges::find(resource_claim_statuses, entry.name, &PodResourceClaimStatus::name);
  return made == resource_claim_statuses.end() ? nullptr : &made->claim_name;
}

const PodCondition* Pod::condition(std::string_view type) const {
  const auto at = std::find_if(conditions.begin(), conditions.end(),
                               [&](const PodCondition& condition) { return condition.type == type; });
  return at == conditions.end() ? nullptr : &*at;
}

}  // namespace podium::api
