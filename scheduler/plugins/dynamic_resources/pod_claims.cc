#include "scheduler/plugins/dynamic_resources/pod_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "scheduler/plugins/shared/claim_owner.h"

namespace podium::plugins {

using framework::Reason;
using framework::ReasonCode;
using framework::Topic;

namespace {

constexpr std::string_view kWithdrawn = "withdrawn";  // instead of "pods"

struct Named {
  std::optional<std::string> claim;  // nullopt: the pod needs none
  bool must_own = false;             // only a claim that was created for this pod counts
};

std::expected<Named, Reason> name_of(const api::Pod& pod, const api::PodResourceClaim& entry) {
  if (entry.claim_name) return Named{entry.claim_name};
  if (!entry.template_name) {
    return std::unexpected(
        Reason(ReasonCode::resource_claim_invalid,
               fmt::format("pod \"{}\", spec.resourceClaim \"{}\": none of the supported fields are set",
                           pod.full_name(), entry.name),
               {{Topic::claim, entry.name}}));
  }
  const auto* made = pod.claim_name(entry);
  if (!made)
    return std::unexpected(Reason(ReasonCode::resource_claim_not_created,
                                  fmt::format("pod \"{}\": ResourceClaim not created yet", pod.full_name()),
                                  {{Topic::claim, entry.name}}));
  return Named{*made, true};
}

}  // namespace

std::string claim_missing(std::string_view ns, std::string_view name) {
  return fmt::format("could not find ResourceClaim \"{}/{}\"", ns, name);
}

std::expected<std::vector<ClaimPtr>, Reason> claims_of(const api::Pod& pod, const cluster::Objects& objects) {
  std::vector<ClaimPtr> claims;
  for (const auto& entry : pod.resource_claims) {
    const auto named = name_of(pod, entry);
    if (!named) return std::unexpected(named.error());
    if (!named->claim) continue;
    auto claim = objects.shared<api::ResourceClaim>(pod.meta.namespace_, *named->claim);
    if (!claim) {
      return std::unexpected(Reason(ReasonCode::resource_claim_not_found,
                                    claim_missing(pod.meta.namespace_, *named->claim),
                                    {{Topic::claim, *named->claim}}));
    }
    if (claim->meta.deleted)
      return std::unexpected(Reason(ReasonCode::resource_claim_deleted, {{Topic::claim, claim->meta.name}}));
    if (named->must_own && !is_for_pod(claim->meta, pod)) {
      return std::unexpected(
          Reason(ReasonCode::resource_claim_of_another_pod,
                 fmt::format("ResourceClaim {} was not created for Pod {} (Pod is not owner)",
                             full_name(*claim), pod.full_name()),
                 {{Topic::claim, claim->meta.name}}));
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

bool is_reserved_for(const api::ResourceClaim& claim, std::string_view pod_uid) {
  return std::ranges::find(claim.status.reserved_for, pod_uid, &api::ClaimConsumer::uid) !=
         claim.status.reserved_for.end();
}

std::string full_name(const api::ResourceClaim& claim) {
  return claim.meta.namespace_ + "/" + claim.meta.name;
}

ClaimPtr marked_withdrawn(const api::ResourceClaim& claim, std::string_view pod_uid) {
  auto marked = std::make_shared<api::ResourceClaim>(claim);
  for (auto& user : marked->status.reserved_for) {
    if (user.uid == pod_uid) user.resource = kWithdrawn;
  }
  return marked;
}

bool is_withdrawn(const api::ResourceClaim& claim, std::string_view pod_uid) {
  return std::ranges::any_of(claim.status.reserved_for, [&](const api::ClaimConsumer& user) {
    return user.uid == pod_uid && user.resource == kWithdrawn;
  });
}

}  // namespace podium::plugins
