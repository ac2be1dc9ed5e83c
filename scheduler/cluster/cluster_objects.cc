#include "scheduler/cluster/cluster_objects.h"

#include <utility>

#include "api/values/device.h"
#include "api/values/pod.h"

namespace podium::cluster {

template <Kept T>
bool Objects::set(std::shared_ptr<const T> object) {
  auto key = std::pair(object->meta.namespace_, object->meta.name);
  if constexpr (assumed_as_written<T>) {
    const auto& version = object->meta.resource_version;
    const auto* known = find<T>(key.first, key.second);
    const bool is_comparable = make_comparable(key);
    const bool is_news =
        !known || !is_comparable || version.empty() || is_newer(version, known->meta.resource_version);
    // The assumption is now confirmed.
    if (is_news || version == known->meta.resource_version) drop_assumption<T>(key);
    if (!is_news) return false;
  } else if constexpr (can_be_assumed<T>) {
    const auto* known = assumed_on<T>(key);
    if (known && (*known)->meta.resource_version == object->meta.resource_version) return false;
    drop_assumption<T>(key);
  }
  put<T>(std::move(key), std::move(object));
  return true;
}

template <typename T>
void Objects::remove(const std::string& ns, const std::string& name) {
  if constexpr (can_be_assumed<T>) drop_assumption<T>({ns, name});
  if constexpr (assumed_as_written<T>) make_comparable({ns, name});
  put<T>({ns, name}, nullptr);
}

template <typename T>
void Objects::assume(std::shared_ptr<const T> object) {
  const auto key = std::pair(object->meta.namespace_, object->meta.name);
  if constexpr (assumed_as_written<T>) make_comparable(key);
  if (!assumed_on<T>(key)) {
    const auto known = all<T>().find(key);
    std::get<ObjectMap<T>>(assumed_on_)
        .insert_or_assign(key, known == all<T>().end() ? nullptr : known->second);
  }
  put<T>(key, std::move(object));
}

template <typename T>
void Objects::restore(const std::string& ns, const std::string& name, std::string_view resource_version) {
  const auto key = std::pair(ns, name);
  const auto* known = assumed_on<T>(key);
  if (!known || !*known || (*known)->meta.resource_version != resource_version) return;
  put<T>(key, *known);
  drop_assumption<T>(key);
}

template <typename T>
std::vector<ObjectKey> Objects::never_shown(std::string_view version) const {
  std::vector<ObjectKey> out;
  for (const auto& [key, known] : std::get<ObjectMap<T>>(assumed_on_)) {
    const auto* object = known ? nullptr : find<T>(key.first, key.second);
    const bool is_newer_than_list =
        object && is_newer(object->meta.resource_version, version) && !incomparable_->contains(key);
    if (object && !is_newer_than_list) out.push_back(key);
  }
  return out;
}

template <typename T>
void Objects::forget_versions() {
  static_assert(assumed_as_written<T>);
  auto& keys = incomparable_.write();
  for (const auto& [key, _] : all<T>()) keys.insert(key);
}

template <typename T>
std::shared_ptr<const T> Objects::actual(std::string_view ns, std::string_view name) const {
  if constexpr (can_be_assumed<T>) {
    if (const auto* known = assumed_on<T>(ObjectKey(ns, name))) return *known;
  }
  return shared<T>(ns, name);
}

template <typename T>
void Objects::put(ObjectKey key, std::shared_ptr<const T> object) {
  auto& map = std::get<ObjectMap<T>>(maps_);
  const auto known = map.find(key);
  const auto before = known == map.end() ? nullptr : known->second;
  if (!object && !before) return;
  if (object)
    map.insert_or_assign(std::move(key), object);
  else
    map.erase(key);
  if constexpr (requires { volumes_.changed(before, object); })
    volumes_.changed(before, object);
  else if constexpr (requires { volumes_.changed(before.get(), object.get()); })
    volumes_.changed(before.get(), object.get());
  else if constexpr (std::is_same_v<T, api::ResourceClaim>)
    devices_in_use_.changed(before.get(), object.get());
  else if constexpr (std::is_same_v<T, api::ResourceSlice>)
    slice_changed(before.get(), object.get());
  else if constexpr (std::is_same_v<T, api::DeviceTaintRule>)
    rule_changed(before.get(), object);
  else if constexpr (std::is_same_v<T, api::DeviceClass>)
    extended_classes_.changed(before.get(), object);
}

template <typename T>
const std::shared_ptr<const T>* Objects::assumed_on(const ObjectKey& key) const {
  const auto& map = std::get<ObjectMap<T>>(assumed_on_);
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}

template <typename T>
void Objects::drop_assumption(const ObjectKey& key) {
  if (assumed_on<T>(key)) std::get<ObjectMap<T>>(assumed_on_).erase(key);
}

bool Objects::make_comparable(const ObjectKey& key) {
  if (!incomparable_->contains(key)) return true;
  incomparable_.write().erase(key);
  return false;
}

void Objects::set_workload(std::shared_ptr<const api::Workload> w) {
  auto key = std::tuple(w->meta.namespace_, w->kind, w->meta.name);
  workloads_.insert_or_assign(std::move(key), std::move(w));
}

void Objects::remove_workload(const std::string& ns, api::Workload::Kind kind, const std::string& name) {
  workloads_.erase(WorkloadKey(ns, kind, name));
}

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

#define PODIUM_KEPT(T)                                                           \
  template bool Objects::set(std::shared_ptr<const api::T>);                     \
  template void Objects::remove<api::T>(const std::string&, const std::string&); \
  template std::shared_ptr<const api::T> Objects::actual(std::string_view, std::string_view) const;
#define PODIUM_ASSUMED(T)                                                                           \
  PODIUM_KEPT(T)                                                                                    \
  template void Objects::assume(std::shared_ptr<const api::T>);                                     \
  template void Objects::restore<api::T>(const std::string&, const std::string&, std::string_view); \
  template std::vector<ObjectKey> Objects::never_shown<api::T>(std::string_view) const;
template void Objects::forget_versions<api::ResourceClaim>();
PODIUM_KEPT(Namespace)
PODIUM_KEPT(PriorityClass)
PODIUM_KEPT(PodDisruptionBudget)
PODIUM_KEPT(StorageClass)
PODIUM_KEPT(CsiNode)
PODIUM_KEPT(CsiDriver)
PODIUM_KEPT(CsiStorageCapacity)
PODIUM_KEPT(VolumeAttachment)
PODIUM_KEPT(ResourceSlice)
PODIUM_KEPT(DeviceClass)
PODIUM_KEPT(DeviceTaintRule)
PODIUM_ASSUMED(PersistentVolume)
PODIUM_ASSUMED(PersistentVolumeClaim)
PODIUM_ASSUMED(ResourceClaim)
#undef PODIUM_ASSUMED
#undef PODIUM_KEPT

}  // namespace podium::cluster
