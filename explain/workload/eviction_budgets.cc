#include "explain/workload/eviction_budgets.h"

#include <algorithm>
#include <utility>

#include "api/values/objects.h"
#include "api/values/pod.h"

namespace podium::explain {

std::optional<EvictionBudgets::Exceeded> EvictionBudgets::check(const api::PodDisruptionBudget& budget,
                                                                const std::vector<const api::Pod*>& pods,
                                                                const std::function<bool()>& may_continue) {
  if (!budget.selector) return std::nullopt;
  const auto& name = budget.meta.name;
  Exceeded out{.allowed = static_cast<std::size_t>(std::max(0, budget.disruptions_allowed))};
  for (const auto* pod : pods) {
    if (may_continue && !may_continue()) break;
    if (!asks_budgets(*pod) || !budget.selector->matches(pod->meta.labels)) continue;
    by_pod_[pod].budgets.add(name);
    if (takes_disruption(*pod, budget)) out.pods.push_back(pod);
  }
  if (out.pods.size() <= out.allowed) return std::nullopt;
  const auto words = budget_words(name, out.allowed, out.pods.size());
  for (const auto* pod : out.pods) by_pod_[pod].words = words;
  return out;
}

std::vector<EvictionBudgets::Obstacle> EvictionBudgets::obstacles() const {
  std::vector<Obstacle> out;
  for (const auto& [pod, of_pod] : by_pod_) {
    const auto& [budgets, words] = of_pod;
    if (budgets.total > 1) {
      out.push_back({pod, budgets, several_budgets_words("it", budgets)});
    } else if (!words.empty()) {
      out.push_back({pod, budgets, words});
    }
  }
  return out;
}

}  // namespace podium::explain
