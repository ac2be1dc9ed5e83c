#include "explain/answer/added_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <type_traits>

#include "api/values/defaults.h"
#include "base/counted.h"
#include "explain/workload/new_claims.h"

namespace podium::explain {
namespace {

template <typename T>
void put(const api::Manifests::List<T>& list, cluster::Snapshot& fork) {
  for (const auto& given : list) {
    if (api::keeps_state<T> && fork.objects().find<T>(given->meta.namespace_, given->meta.name)) continue;
    auto object = std::make_shared<T>(*given);
    if constexpr (requires { api::set_defaults(*object); }) api::set_defaults(*object);
    if constexpr (std::is_same_v<T, api::PersistentVolume>) make_available(*object);
    if (object->meta.uid.empty()) object->meta.uid = object->meta.name + "-what-if";
    fork.objects().set<T>(std::move(object));
  }
}

void put_limit_range(api::LimitRange range, std::vector<api::LimitRange>& ranges) {
  api::set_defaults(range);
  std::erase_if(ranges, [&](const api::LimitRange& each) { return each.meta.name == range.meta.name; });
  const auto after = std::ranges::upper_bound(ranges, range.meta.name, {},
                                              [](const auto& each) -> const auto& { return each.meta.name; });
  ranges.insert(after, std::move(range));
}

// Calls each(kind, name) for all objects.
template <typename Each>
void each_object(const api::Manifests& objects, Each&& each) {
  const auto all = [&each](std::string_view kind, const auto& list) {
    for (const auto& object : list) each(kind, object->meta.name);
  };
  all("Service", objects.workloads);
  all("PersistentVolume", objects.persistent_volumes);
  all("LimitRange", objects.limit_ranges);
  all("PodDisruptionBudget", objects.disruption_budgets);
  all("PriorityClass", objects.priority_classes);
  all("RuntimeClass", objects.runtime_classes);
  all("StorageClass", objects.storage_classes);
  all("CSIDriver", objects.csi_drivers);
  all("DeviceClass", objects.device_classes);
  all("ResourceClaim", objects.resource_claims);
  all("ResourceClaimTemplate", objects.resource_claim_templates);
}

}  // namespace

void add_objects(const std::vector<Change>& changes, cluster::Snapshot& fork,
                 api::AdmissionObjects& objects) {
  for (const auto& change : changes) {
    const auto& added = change.objects;
    for (const auto& service : added.workloads) fork.objects().set_workload(service);
    put(added.persistent_volumes, fork);
    put(added.disruption_budgets, fork);
    put(added.priority_classes, fork);
    put(added.storage_classes, fork);
    put(added.csi_drivers, fork);
    put(added.device_classes, fork);
    put(added.resource_claims, fork);
    for (const auto& range : added.limit_ranges) {
      if (!objects.limit_ranges) objects.limit_ranges.emplace();
      put_limit_range(*range, *objects.limit_ranges);
    }
    for (const auto& each : added.runtime_classes) objects.runtime_classes[each->meta.name] = *each;
    for (const auto& each : added.resource_claim_templates) {
      objects.claim_templates.insert_or_assign(each->meta.name, *each);
      objects.no_claim_templates.erase(each->meta.name);
    }
  }
}

std::string added_message(const Change& change) {
  std::size_t count = 0;
  std::string names;
  each_object(change.objects, [&](std::string_view kind, const std::string& name) {
    names += fmt::format("{}{} {}", count++ == 0 ? "" : ", ", kind, name);
  });
  return fmt::format("{} added: {}", podium::counted(count, "object"), names);
}

}  // namespace podium::explain
