#include "app/offline/budgets.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/text/json_view.h"
#include "explain/workload/disruptions.h"

namespace podium::offline {
namespace {

namespace json = boost::json;
using explain::ControllerScale;

constexpr std::int64_t kMost = 1'000'000'000;

using Name = std::pair<std::string, std::string>;  // namespace, name

Name name_of(const json::value& object) {
  return {api::text_at(object, "/metadata/namespace"), api::text_at(object, "/metadata/name")};
}

// Finds the scales of controllers, of each one once.
class Scales {
 public:
  Scales(const ByKind& objects, const api::Manifests& cluster) : objects_(objects) {
    for (const auto& pod : cluster.pods) pods_[pod->meta.namespace_].push_back(pod.get());
    for (const auto& workload : cluster.workloads) {
      if (workload->kind == api::Workload::Kind::replica_set)
        replica_sets_.emplace(Name(workload->meta.namespace_, workload->meta.name), workload.get());
    }
  }

  const std::vector<const api::Pod*>& pods_of(const std::string& ns) { return pods_[ns]; }

  const ControllerScale& of(const std::string& ns, const api::OwnerReference& owner) {
    const auto key = std::tuple(ns, owner.api_version, owner.kind, owner.name);
    const auto known = known_.find(key);
    return known != known_.end() ? known->second : known_.emplace(key, find(ns, owner)).first->second;
  }

 private:
  ControllerScale find(const std::string& ns, const api::OwnerReference& owner) {
    const auto name = owner.kind + "/" + owner.name;
    if (owner.kind == "DaemonSet" || owner.kind == "Job") return {name, std::nullopt};
    if (const auto* above = deployment_of(ns, owner)) {
      const auto& scale = of(ns, *above);
      if (scale.replicas) return scale;
    }
    const auto slash = owner.api_version.find('/');
    const auto group = slash == std::string::npos ? std::string() : owner.api_version.substr(0, slash);
    const auto& replicas = replicas_of(kind_key(group, owner.kind));
    if (const auto found = replicas.find({ns, owner.name}); found != replicas.end())
      return {name, found->second};
    return controlled_.try_emplace(ns, pods_of(ns)).first->second.scale_of(owner);
  }

  // The Deployment that owns a ReplicaSet; null: another kind, or none.
  const api::OwnerReference* deployment_of(const std::string& ns, const api::OwnerReference& owner) const {
    const auto found =
        owner.kind == "ReplicaSet" ? replica_sets_.find({ns, owner.name}) : replica_sets_.end();
    const auto* above = found == replica_sets_.end() ? nullptr : found->second->meta.controller();
    return above && above->kind == "Deployment" ? above : nullptr;
  }

  using Replicas = std::map<Name, std::int64_t>;
  const Replicas& replicas_of(const std::string& kind) {
    const auto [of_kind, is_new] = replicas_.try_emplace(kind);
    const auto found = is_new ? objects_.find(kind) : objects_.end();
    if (found == objects_.end()) return of_kind->second;
    for (const auto& object : found->second)
      of_kind->second.emplace(
          name_of(object),
          std::clamp<std::int64_t>(api::integer_at(object, "/spec/replicas").value_or(1), 0, kMost));
    return of_kind->second;
  }

  const ByKind& objects_;
  std::map<std::string, std::vector<const api::Pod*>> pods_;   // by namespace
  std::map<std::string, explain::ControlledPods> controlled_;  // by namespace, once it is asked for
  std::map<Name, const api::Workload*> replica_sets_;
  std::map<std::string, Replicas> replicas_;  // by kind, once they are asked for
  std::map<std::tuple<std::string, std::string, std::string, std::string>, ControllerScale> known_;
};

}  // namespace

void count_disruptions(ByKind& objects, api::Manifests& cluster) {
  const auto is_counted = [](const auto& budget) { return budget->is_counted; };
  if (std::ranges::all_of(cluster.disruption_budgets, is_counted)) return;
  Scales scales(objects, cluster);
  std::map<Name, std::vector<json::value*>> in_files;
  if (const auto found = objects.find(kind_key("policy", "PodDisruptionBudget")); found != objects.end()) {
    for (auto& object : found->second) in_files[name_of(object)].push_back(&object);
  }
  for (auto& budget : cluster.disruption_budgets) {
    if (budget->is_counted) continue;
    auto counted = std::make_shared<api::PodDisruptionBudget>(*budget);
    explain::count_disruptions(
        scales.pods_of(budget->meta.namespace_),
        [&](const std::string& ns, const api::OwnerReference& owner) { return scales.of(ns, owner); },
        *counted);
    for (auto* object : in_files[Name(budget->meta.namespace_, budget->meta.name)]) {
      object->as_object()["status"] = json::object{{"disruptionsAllowed", counted->disruptions_allowed},
                                                   {"currentHealthy", counted->current_healthy},
                                                   {"desiredHealthy", counted->desired_healthy}};
    }
    budget = std::move(counted);
  }
}

}  // namespace podium::offline
