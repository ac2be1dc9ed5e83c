#include "app/offline/budgets.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/text/json_view.h"
#include "explain/workload/eviction_cost.h"

namespace podium::offline {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMost = 1'000'000'000;

// A number, or a share of the expected pods, rounded up. nullopt: not given.
std::optional<std::int64_t> amount_at(const json::value& budget, std::string_view pointer,
                                      std::int64_t expected) {
  const auto* found = api::find_at(budget, pointer);
  if (!found) return std::nullopt;
  if (found->is_int64()) return std::clamp<std::int64_t>(found->get_int64(), 0, kMost);
  const auto* text = found->if_string();
  if (!text || !text->ends_with('%')) return std::nullopt;
  std::int64_t percent = 0;
  const auto* end = text->data() + text->size() - 1;
  const auto [read, error] = std::from_chars(text->data(), end, percent);
  if (error != std::errc() || read != end) return std::nullopt;
  return (std::clamp<std::int64_t>(percent, 0, 100) * expected + 99) / 100;
}

bool has_name(const json::value& object, std::string_view ns, std::string_view name) {
  return api::text_at(object, "/metadata/name") == name && api::text_at(object, "/metadata/namespace") == ns;
}

// Does the disruption controller's work for one namespace's budget.
class Controller {
 public:
  Controller(const ByKind& objects, const api::Manifests& cluster) : objects_(objects), cluster_(cluster) {}

  void count(const json::value& object, api::PodDisruptionBudget& budget) const {
    std::vector<const api::Pod*> pods;
    for (const auto& pod : cluster_.pods) {
      if (pod->meta.namespace_ == budget.meta.namespace_ && budget.selector &&
          budget.selector->matches(pod->meta.labels))
        pods.push_back(pod.get());
    }
    const auto healthy = std::ranges::count_if(pods, [](const api::Pod* pod) {
      return !pod->meta.deleted && !pod->terminated() && explain::is_ready(*pod);
    });
    budget.current_healthy = static_cast<std::int32_t>(healthy);
    const auto count = static_cast<std::int64_t>(pods.size());
    const auto* least = api::find_at(object, "/spec/minAvailable");
    const auto expected = least && least->is_int64() ? count : expected_pods(pods);
    if (!expected || *expected == 0) return;
    const auto wanted = amount_at(object, "/spec/minAvailable", *expected);
    const auto spare = amount_at(object, "/spec/maxUnavailable", *expected);
    if (!wanted && !spare) return;
    const auto desired = wanted ? *wanted : std::max<std::int64_t>(0, *expected - *spare);
    budget.desired_healthy = static_cast<std::int32_t>(desired);
    budget.disruptions_allowed =
        static_cast<std::int32_t>(std::max<std::int64_t>(0, std::int64_t{healthy} - desired));
  }

 private:
  // A controller of pods, and the pods that it should have.
  struct Scale {
    std::string name;
    std::optional<std::int64_t> replicas;  // nullopt: it has no scale
  };

  // The sum over the controllers. nullopt: one has no scale, so the controller allows no disruption.
  std::optional<std::int64_t> expected_pods(const std::vector<const api::Pod*>& pods) const {
    std::map<std::string, std::int64_t> scales;
    for (const auto* pod : pods) {
      const auto* owner = pod->meta.controller();
      if (!owner) continue;
      auto scale = scale_of(pod->meta.namespace_, *owner);
      if (!scale.replicas) return std::nullopt;
      scales[std::move(scale.name)] = *scale.replicas;
    }
    std::int64_t sum = 0;
    for (const auto& [_, replicas] : scales) sum += replicas;
    return sum;
  }

  Scale scale_of(const std::string& ns, const api::OwnerReference& owner) const {
    const auto name = owner.kind + "/" + owner.name;
    if (owner.kind == "DaemonSet" || owner.kind == "Job") return {name, std::nullopt};
    if (const auto* above = deployment_of(ns, owner)) {
      const auto scale = scale_of(ns, *above);
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
    if (owner.kind == "Deployment") return {name, std::nullopt};
    return {name, std::ranges::count_if(cluster_.pods, [&](const auto& pod) {
              const auto* its = pod->meta.controller();
              return pod->meta.namespace_ == ns && its && its->kind == owner.kind && its->name == owner.name;
            })};
  }

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
};

}  // namespace

void count_disruptions(ByKind& objects, api::Manifests& cluster) {
  const auto found = objects.find(kind_key("policy", "PodDisruptionBudget"));
  if (found == objects.end()) return;
  const Controller controller(objects, cluster);
  for (auto& object : found->second) {
    if (api::find_at(object, "/status/disruptionsAllowed")) continue;
    for (auto& budget : cluster.disruption_budgets) {
      if (!has_name(object, budget->meta.namespace_, budget->meta.name)) continue;
      auto counted = std::make_shared<api::PodDisruptionBudget>(*budget);
      controller.count(object, *counted);
      object.as_object()["status"] = json::object{{"disruptionsAllowed", counted->disruptions_allowed},
                                                  {"currentHealthy", counted->current_healthy},
                                                  {"desiredHealthy", counted->desired_healthy}};
      budget = std::move(counted);
    }
  }
}

}  // namespace podium::offline
