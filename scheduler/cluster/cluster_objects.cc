#include "scheduler/cluster/cluster_objects.h"

#include <utility>

#include "api/values/device.h"
#include "api/values/pod.h"

namespace podium::cluster {

void Objects::begin_flight(std::shared_ptr<const api::ResourceClaim> claim) {
  const auto& meta = claim->meta;
  auto uid = meta.uid;
  if (is_in_flight(uid)) {
    ++claims_in_flight_.write().find(uid)->second.sharers;
    return;
  }
  const auto* known = find<api::ResourceClaim>(meta.namespace_, meta.name);
  if (known && known->meta.uid == uid && known->status.allocation) return;
  devices_in_use_.changed(nullptr, claim.get());
  claims_in_flight_.write().emplace(std::move(uid), Flight{std::move(claim)});
}

bool Objects::end_flight(std::string_view uid, FlightEnd end) {
  if (!is_in_flight(uid)) return false;
  auto& claims = claims_in_flight_.write();
  const auto at = claims.find(uid);
  if (end == FlightEnd::for_one && --at->second.sharers > 0) return false;
  devices_in_use_.changed(at->second.claim.get(), nullptr);
  claims.erase(at);
  return true;
}

void Objects::slice_changed(const api::ResourceSlice* before, const api::ResourceSlice* after) {
  slices_version_ = std::make_shared<const char>();
  taint_rules_.slice_changed(before, after);
}

void Objects::rule_changed(const api::DeviceTaintRule* before, const TaintRules::RulePtr& after) {
  const auto each_slice = [this](const std::function<void(const api::ResourceSlice&)>& see) {
    for (const auto& [key, slice] : all<api::ResourceSlice>()) see(*slice);
  };
  if (taint_rules_.changed(before, after, each_slice)) ++taints_version_;
}

}  // namespace podium::cluster
