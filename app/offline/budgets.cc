#include "app/offline/budgets.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/text/json_view.h"
#include "explain/workload/disruptions.h"

namespace podium::offline {
namespace {

namespace json = boost::json;
using explain::ControllerScale;

constexpr std::int64_t kMost = 1'000'000'000;

bool has_name(const json::value& object, std::string_view ns, std::string_view name) {
  return api::text_at(object, "/metadata/name") == name && api::text_at(object, "/metadata/namespace") == ns;
}

// Finds the scales of controllers.
class Scales {
 public:
  Scales(const ByKind& objects, const api::Manifests& cluster) : objects_(objects), cluster_(cluster) {
    for (const auto& pod : cluster.pods) pods_[pod->meta.namespace_].push_back(pod.get());
  }

  const std::vector<const api::Pod*>& pods_of(const std::string& ns) { return pods_[ns]; }

  ControllerScale of(const std::string& ns, const api::OwnerReference& owner) {
    const auto name = owner.kind + "/" + owner.name;
    if (owner.kind == "DaemonSet" || owner.kind == "Job") return {name, std::nullopt};
    if (const auto* above = deployment_of(ns, owner)) {
      const auto scale = of(ns, *above);
      if (scale.replicas) return scale;
    }
    const auto slash = owner.api_version.find('/');
    const auto group = slash == std::string::npos ? std::string() : owner.api_version.substr(0, slash);
    if (const auto found = objects_.find(kind_key(group, owner.kind)); found != objects_.end()) {
      for (const auto& object : found->second) {
        if (!has_name(object, ns, owner.name)) continue;
        return {name,
                std::clamp<std::int64_t>(api::integer_at(object, "/spec/replicas").value_or(1), 0, kMost)};
      }
    }
    return explain::scale_by_pods(pods_of(ns), owner);
  }

 private:
  // The Deployment that owns a ReplicaSet; null: another kind, or none.
  const api::OwnerReference* deployment_of(const std::string& ns, const api::OwnerReference& owner) const {
    if (owner.kind != "ReplicaSet") return nullptr;
    for (const auto& workload : cluster_.workloads) {
      if (workload->kind != api::Workload::Kind::replica_set || workload->meta.name != owner.name ||
          workload->meta.namespace_ != ns)
        continue;
      const auto* above = workload->meta.controller();
      return above && above->kind == "Deployment" ? above : nullptr;
    }
    return nullptr;
  }

  const ByKind& objects_;
  const api::Manifests& cluster_;
  std::map<std::string, std::vector<const api::Pod*>> pods_;  // by namespace
};

}  // namespace

void count_disruptions(ByKind& objects, api::Manifests& cluster) {
  const auto is_counted = [](const auto& budget) { return budget->is_counted; };
  if (std::ranges::all_of(cluster.disruption_budgets, is_counted)) return;
  Scales scales(objects, cluster);
  const auto in_files = objects.find(kind_key("policy", "PodDisruptionBudget"));
  for (auto& budget : cluster.disruption_budgets) {
    if (budget->is_counted) continue;
    auto counted = std::make_shared<api::PodDisruptionBudget>(*budget);
    explain::count_disruptions(
        scales.pods_of(budget->meta.namespace_),
        [&](const std::string& ns, const api::OwnerReference& owner) { return scales.of(ns, owner); },
        *counted);
    for (std::size_t i = 0; in_files != objects.end() && i < in_files->second.size(); ++i) {
      auto& object = in_files->second[i];
      if (!has_name(object, budget->meta.namespace_, budget->meta.name)) continue;
      object.as_object()["status"] = json::object{{"disruptionsAllowed", counted->disruptions_allowed},
                                                  {"currentHealthy", counted->current_healthy},
                                                  {"desiredHealthy", counted->desired_healthy}};
    }
    budget = std::move(counted);
  }
}

}  // namespace podium::offline
