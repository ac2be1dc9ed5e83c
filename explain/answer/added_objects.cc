#include "explain/answer/added_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "api/values/defaults.h"
#include "base/counted.h"
#include "explain/workload/admin_access.h"
#include "explain/workload/disruptions.h"
#include "explain/workload/new_claims.h"

namespace podium::explain {
namespace {

constexpr std::string_view kClaim = "ResourceClaim", kClaimTemplate = "ResourceClaimTemplate";

template <typename T>
void put(const api::Manifests::List<T>& list, cluster::Snapshot& fork) {
  for (const auto& given : list) {
    const auto* known = fork.objects().find<T>(given->meta.namespace_, given->meta.name);
    if (api::keeps_state<T> && known) continue;
    auto object = std::make_shared<T>(*given);
    if (known) keep_age(*known, *object);
    if constexpr (requires { api::set_defaults(*object); }) api::set_defaults(*object);
    if constexpr (std::is_same_v<T, api::PersistentVolume>) make_available(*object);
    if (object->meta.uid.empty()) object->meta.uid = object->meta.name + "-what-if";
    fork.objects().set<T>(std::move(object));
  }
}

// `kubectl apply` keeps the labels of an existing namespace that the file does not name.
void put_namespaces(const api::Manifests::List<api::Namespace>& list, cluster::Snapshot& fork) {
  for (const auto& given : list) {
    const auto* known = fork.objects().find<api::Namespace>("", given->meta.name);
    auto object = std::make_shared<api::Namespace>(known ? *known : *given);
    for (const auto& [key, value] : given->meta.labels) object->meta.labels.set(key, value);
    object->meta.labels.set("kubernetes.io/metadata.name", given->meta.name);
    fork.objects().set<api::Namespace>(std::move(object));
  }
}

// The budgets get the status that their controller would write.
void put_budgets(const api::Manifests::List<api::PodDisruptionBudget>& list,
                 const std::vector<cluster::PodInfoPtr>& waiting, const Budget& limit,
                 cluster::Snapshot& fork) {
  if (list.empty()) return;
  std::map<std::string_view, std::vector<const api::Pod*>> pods;  // by namespace
  for (const auto& budget : list) pods[budget->meta.namespace_];
  const auto add = [&pods](const cluster::PodInfoPtr& pod) {
    if (const auto found = pods.find(pod->pod->meta.namespace_); found != pods.end())
      found->second.push_back(pod->pod.get());
  };
  fork.each_pod(add);
  for (const auto& pod : waiting) {
    if (!fork.find_pod(pod->pod->meta.uid)) add(pod);
  }
  std::map<std::string_view, ControlledPods> controlled;  // by namespace
  api::Manifests::List<api::PodDisruptionBudget> counted;
  for (const auto& given : list) {
    if (!has_time(limit)) break;
    auto budget = std::make_shared<api::PodDisruptionBudget>(*given);
    const auto& of_namespace = pods[budget->meta.namespace_];
    if (!budget->is_counted) {
      const auto& by_owner = controlled.try_emplace(given->meta.namespace_, of_namespace).first->second;
      count_disruptions(
          of_namespace,
          [&](const std::string&, const api::OwnerReference& owner) { return by_owner.scale_of(owner); },
          *budget, limit);
    }
    counted.push_back(std::move(budget));
  }
  put(counted, fork);
}

// Drops the claims that the API server refuses.
api::Manifests::List<api::ResourceClaim> admitted_claims(
    const api::Manifests::List<api::ResourceClaim>& claims, const cluster::Snapshot& fork,
    api::AdmissionObjects& objects) {
  auto admitted = claims;
  std::erase_if(admitted, [&](const auto& claim) {
    const bool is_refused =
        asks_admin_access(claim->spec) &&
        admin_access_in(claim->meta.namespace_, fork) == AdminAccess::refused &&
        !fork.objects().find<api::ResourceClaim>(claim->meta.namespace_, claim->meta.name);
    if (is_refused) objects.refused_claims.insert(claim->meta.name);
    return is_refused;
  });
  return admitted;
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
  all("Namespace", objects.namespaces);
  all("Service", objects.workloads);
  all("PersistentVolume", objects.persistent_volumes);
  all("LimitRange", objects.limit_ranges);
  all("PodDisruptionBudget", objects.disruption_budgets);
  all("PriorityClass", objects.priority_classes);
  all("RuntimeClass", objects.runtime_classes);
  all("StorageClass", objects.storage_classes);
  all("CSIDriver", objects.csi_drivers);
  all("DeviceClass", objects.device_classes);
  all(kClaim, objects.resource_claims);
  all(kClaimTemplate, objects.resource_claim_templates);
}

}  // namespace

void add_objects(const std::vector<Change>& changes, const std::vector<cluster::PodInfoPtr>& waiting,
                 const Budget& budget, cluster::Snapshot& fork, api::AdmissionObjects& objects) {
  // Claims of any change are admitted by their labels.
  for (const auto& change : changes) put_namespaces(change.objects.namespaces, fork);
  for (const auto& change : changes) {
    const auto& added = change.objects;
    for (const auto& service : added.workloads) fork.objects().set_workload(service);
    put(added.persistent_volumes, fork);
    put_budgets(added.disruption_budgets, waiting, budget, fork);
    put(added.priority_classes, fork);
    put(added.storage_classes, fork);
    put(added.csi_drivers, fork);
    put(added.device_classes, fork);
    put(admitted_claims(added.resource_claims, fork, objects), fork);
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

std::string added_message(const Change& change, const api::AdmissionObjects& objects) {
  std::size_t count = 0;
  std::string names, refused;
  each_object(change.objects, [&](std::string_view kind, const std::string& name) {
    if ((kind == kClaim && objects.refused_claims.contains(name)) ||
        (kind == kClaimTemplate && objects.refused_claim_templates.contains(name)))
      refused += fmt::format("{}{} {}", refused.empty() ? "" : ", ", kind, name);
    else
      names += fmt::format("{}{} {}", count++ == 0 ? "" : ", ", kind, name);
  });
  return fmt::format("{} added{}{}{}", podium::counted(count, "object"), names.empty() ? "" : ": ", names,
                     refused.empty() ? "" : fmt::format("; refused: {}: {}", refused, kNoAdminAccess));
}

}  // namespace podium::explain
