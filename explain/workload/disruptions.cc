#include "explain/workload/disruptions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "api/values/drained_pod.h"
#include "explain/workload/eviction_cost.h"

namespace podium::explain {
namespace {

std::int64_t number_of(const api::PodDisruptionBudget::Amount& amount, std::int64_t expected) {
  return amount.is_percent ? (amount.value * expected + 99) / 100 : amount.value;
}

// The sum over the controllers. nullopt: one has no scale, so the controller allows no disruption.
std::optional<std::int64_t> expected_pods(const std::vector<const api::Pod*>& pods, const ScaleOf& scale_of) {
  std::map<std::string, std::int64_t> scales;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto* pod : pods) {
    const auto* owner = pod->meta.controller();
    if (!owner || !seen.emplace(owner->kind, owner->name).second) continue;
    auto scale = scale_of(pod->meta.namespace_, *owner);
    if (!scale.replicas) return std::nullopt;
    scales[std::move(scale.name)] = *scale.replicas;
  }
  std::int64_t sum = 0;
  for (const auto& [_, replicas] : scales) sum += replicas;
  return sum;
}

}  // namespace

void count_disruptions(const std::vector<const api::Pod*>& of_namespace, const ScaleOf& scale_of,
                       api::PodDisruptionBudget& budget, const std::function<bool()>& has_time) {
  budget.is_counted = true;
  std::vector<const api::Pod*> pods;
  for (const auto* pod : of_namespace) {
    if (has_time && !has_time()) break;
    if (budget.selector && budget.selector->matches(pod->meta.labels)) pods.push_back(pod);
  }
  const auto healthy = std::ranges::count_if(
      pods, [](const api::Pod* pod) { return !pod->meta.deleted && !pod->terminated() && is_ready(*pod); });
  budget.current_healthy = static_cast<std::int32_t>(healthy);
  const auto& least = budget.min_available;
  const auto expected =
      least && !least->is_percent ? std::optional<std::int64_t>(pods.size()) : expected_pods(pods, scale_of);
  if (!expected || *expected == 0 || (!least && !budget.max_unavailable)) return;
  const auto desired =
      least ? number_of(*least, *expected)
            : std::max<std::int64_t>(0, *expected - number_of(*budget.max_unavailable, *expected));
  budget.desired_healthy = static_cast<std::int32_t>(desired);
  budget.disruptions_allowed =
      static_cast<std::int32_t>(std::max<std::int64_t>(0, std::int64_t{healthy} - desired));
}

ControlledPods::ControlledPods(const std::vector<const api::Pod*>& pods) {
  for (const auto* pod : pods) {
    const auto* owner = pod->meta.controller();
    if (owner && !api::is_replaced(*pod) && !pod->terminated()) ++counts_[{owner->kind, owner->name}];
  }
}

ControllerScale ControlledPods::scale_of(const api::OwnerReference& owner) const {
  auto name = owner.kind + "/" + owner.name;
  if (owner.kind == "DaemonSet" || owner.kind == "Job" || owner.kind == "Deployment")
    return {std::move(name), std::nullopt};
  const auto count = counts_.find({owner.kind, owner.name});
  return {std::move(name), count == counts_.end() ? 0 : count->second};
}

}  // namespace podium::explain
