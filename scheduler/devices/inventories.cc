#include "scheduler/devices/inventories.h"

#include <vector>

namespace podium::devices {

Inventories::Ptr Inventories::of(const cluster::Objects& objects) {
  const auto latest = known(objects.slices_version());
  if (latest.second) return latest.first;
  std::vector<std::shared_ptr<const api::ResourceSlice>> slices;
  for (const auto& [key, slice] : objects.all<api::ResourceSlice>()) slices.push_back(slice);
  // Not under the lock: other threads continue with the current inventories.
  auto made = std::make_shared<const Inventory>(slices, DeviceFeatures(), latest.first.get());
  const std::scoped_lock lock(mutex_);
  kept_[1] = std::exchange(kept_[0], {objects.slices_version(), made});
  return made;
}

std::pair<Inventories::Ptr, bool> Inventories::known(const std::shared_ptr<const void>& version) {
  const std::scoped_lock lock(mutex_);
  for (const auto& kept : kept_) {
    if (kept.inventory && kept.version == version) return {kept.inventory, true};
  }
  return {kept_[0].inventory, false};
}

}  // namespace podium::devices
