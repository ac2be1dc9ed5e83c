#include "scheduler/cluster/objects.h"

#include <utility>

#include "api/device.h"

namespace podium::cluster {

void Objects::begin_flight(std::shared_ptr<const api::ResourceClaim> claim) {
  auto uid = claim->meta.uid;
  const auto [at, is_new] = claims_in_flight_.write().try_emplace(std::move(uid), std::move(claim));
  if (is_new) devices_in_use_.changed(nullptr, at->second.get());
}

bool Objects::end_flight(std::string_view uid) {
  if (!is_in_flight(uid)) return false;
  auto& claims = claims_in_flight_.write();
  const auto at = claims.find(uid);
  devices_in_use_.changed(at->second.get(), nullptr);
  claims.erase(at);
  return true;
}

}  // namespace podium::cluster
