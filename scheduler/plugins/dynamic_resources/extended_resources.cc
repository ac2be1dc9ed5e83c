#include "scheduler/plugins/dynamic_resources/extended_resources.h"

#include <algorithm>

#include "scheduler/devices/extended_requests.h"

namespace podium::plugins {
namespace {

constexpr std::string_view kInMemory = "<extended-resources>";

bool represents(const api::ResourceClaim& claim, const api::Pod& pod) {
  const auto* value = claim.meta.annotations.find(kExtendedClaimAnnotation);
  if (!value || *value != "true") return false;
  return std::ranges::any_of(claim.meta.owners, [&](const api::OwnerReference& owner) {
    return owner.controller && owner.name == pod.meta.name && owner.uid == pod.meta.uid;
  });
}

ClaimPtr claim_left_over(const api::Pod& pod, const cluster::Objects& objects) {
  const auto& claims = objects.all<api::ResourceClaim>();
  const std::string_view space = pod.meta.namespace_;
  for (auto it = claims.lower_bound(std::pair(space, std::string_view()));
       it != claims.end() && it->first.first == space; ++it) {
    if (represents(*it->second, pod)) return it->second;
  }
  return nullptr;
}

}  // namespace

bool is_in_memory(const api::ResourceClaim& claim) { return claim.meta.name == kInMemory; }

std::shared_ptr<const ExtendedResources> ExtendedResources::of(const cluster::PodInfo& pod,
                                                               const cluster::Snapshot& snapshot) {
  const auto& classes = snapshot.objects().extended_classes();
  if (classes.empty() || pod.requests.scalars.empty()) return nullptr;
  std::shared_ptr<ExtendedResources> made(new ExtendedResources(pod.pod, snapshot));
  for (const auto& [resource, count] : pod.requests.scalars) {
    if (count == 0 || !cluster::may_be_backed_by_devices(resource)) continue;
    made->wanted_.push_back({resource, classes.find(resource) != nullptr});
  }
  if (std::ranges::none_of(made->wanted_, &Wanted::has_class)) return nullptr;
  made->left_over_ = claim_left_over(*pod, snapshot.objects());
  return made;
}

std::optional<std::vector<std::string>> ExtendedResources::served_at(cluster::Row row) const {
  const auto& allocatable = snapshot_.entry(row).node->allocatable;
  std::vector<std::string> served;
  for (const auto& [resource, has_class] : wanted_) {
    const auto* has = api::find_resource(allocatable, resource);
    if (has_class && (!has || has->value() == 0)) {
      served.push_back(resource);
    } else if (!has) {
      return std::nullopt;
    }
  }
  return served;
}

ExtendedClaim ExtendedResources::claim_for(const std::vector<std::string>& resources) const {
  const auto& classes = snapshot_.objects().extended_classes();
  auto wanted = devices::extended_requests(*pod_, resources, [&](std::string_view resource) {
    const auto* found = classes.find(resource);
    return found ? found->meta.name : std::string();
  });
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->meta.namespace_ = pod_->meta.namespace_;
  claim->meta.name = kInMemory;
  claim->meta.uid = std::string(kInMemory) + pod_->meta.uid;
  // The next attempt draws other share IDs (device_search.cc).
  claim->meta.resource_version = pod_->meta.resource_version;
  claim->spec.requests = std::move(wanted.requests);
  return {std::move(claim), std::move(wanted.mappings)};
}

}  // namespace podium::plugins
