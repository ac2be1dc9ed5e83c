#include "scheduler/plugins/dynamic_resources/pod_devices.h"

#include <utility>

namespace podium::plugins {
namespace {

std::vector<ClaimPtr> wanting(const std::vector<ClaimPtr>& claims) {
  std::vector<ClaimPtr> out;
  for (const auto& claim : claims) {
    if (!claim->status.allocation) out.push_back(claim);
  }
  return out;
}

}  // namespace

PodDevices::PodDevices(std::vector<ClaimPtr> claims, std::shared_ptr<const ExtendedResources> extended,
                       const cluster::Snapshot& snapshot, const StartSearch& start_search)
    : claims_(std::move(claims)),
      extended_(std::move(extended)),
      snapshot_(snapshot),
      start_search_(start_search) {
  if (extended_) return;
  if (auto own = wanting(claims_); !own.empty()) search_ = start_search_(snapshot_, std::move(own));
}

// Upstream allocates a claim without requests if the pod has claims of its own and the node's device plugin
// serves its extended resources. PreBind then fails, as upstream's.
std::expected<PodDevices::Here, framework::Reason> PodDevices::at(cluster::Row row) const {
  if (!extended_) return Here{search_.get(), nullptr};
  if (extended_->left_over())
    return std::unexpected(framework::Reason(framework::ReasonCode::resource_claim_left_over));
  const auto served = extended_->served_at(row);
  if (!served) return std::unexpected(framework::Reason(framework::ReasonCode::resource_not_offered));
  if (served->empty() && claims_.empty()) return Here();
  auto known = variants_.find(*served);
  if (known == variants_.end()) {
    Variant made{extended_->claim_for(*served), nullptr};
    auto all = wanting(claims_);
    all.push_back(made.extended.claim);
    made.search = start_search_(snapshot_, std::move(all));
    known = variants_.emplace(*served, std::move(made)).first;
  }
  return Here{known->second.search.get(), &known->second.extended};
}

}  // namespace podium::plugins
