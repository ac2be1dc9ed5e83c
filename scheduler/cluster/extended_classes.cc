#include "scheduler/cluster/extended_classes.h"

#include "api/values/device.h"
#include "scheduler/cluster/resources.h"

namespace podium::cluster {
namespace {

constexpr std::string_view kClassPrefix = "deviceclass.resource.kubernetes.io/";

// True if `known` keeps a name that `other` also requests.
bool goes_before(const api::DeviceClass& known, const api::DeviceClass& other) {
  if (known.meta.created != other.meta.created) return known.meta.created > other.meta.created;
  return known.meta.name <= other.meta.name;
}

}  // namespace

std::string implicit_name(const api::DeviceClass& of) { return std::string(kClassPrefix) + of.meta.name; }

bool may_be_backed_by_devices(std::string_view resource) {
  return resource.starts_with(kClassPrefix) || is_extended_resource(resource);
}

const api::DeviceClass* ExtendedClasses::find(std::string_view resource) const {
  const auto it = by_resource_->find(resource);
  return it == by_resource_->end() ? nullptr : it->second.get();
}

void ExtendedClasses::forget(const api::DeviceClass& gone) {
  auto& map = by_resource_.write();
  map.erase(implicit_name(gone));
  if (gone.extended_resource_name) map.erase(*gone.extended_resource_name);
}

void ExtendedClasses::changed(const api::DeviceClass* before,
                              const std::shared_ptr<const api::DeviceClass>& after) {
  if (!after) {
    if (before) forget(*before);
    return;
  }
  if (after->extended_resource_name) {
    const auto* known = find(*after->extended_resource_name);
    if (known && goes_before(*known, *after)) return;
  }
  if (before) forget(*before);
  auto& map = by_resource_.write();
  if (after->extended_resource_name) map[*after->extended_resource_name] = after;
  map[implicit_name(*after)] = after;
}

}  // namespace podium::cluster
