#include "scheduler/plugins/preemption/disruption_budgets.h"

#include <algorithm>

#include "api/values/objects.h"
#include "api/values/pod.h"
#include "scheduler/cluster/cluster_objects.h"

namespace podium::plugins {

DisruptionBudgets::DisruptionBudgets(const cluster::Objects& objects) {
  for (const auto& [_, budget] : objects.all<api::PodDisruptionBudget>()) {
    if (!budget->selector || budget->selector->empty()) continue;
    by_namespace_[budget->meta.namespace_].index.insert(*budget->selector, budgets_.size());
    std::vector<std::string_view> disrupted(budget->disrupted_pods.begin(), budget->disrupted_pods.end());
    std::ranges::sort(disrupted);
    budgets_.push_back({budget.get(), std::move(disrupted)});
  }
}

void DisruptionBudgets::spend(OfNamespace& of, const api::LabelSelector& selector) {
  const auto cost =
      1 + static_cast<std::int64_t>(selector.match_labels.size() + selector.match_expressions.size());
  of.left -= cost;
  left_ -= cost;
}

bool DisruptionBudgets::Eviction::violates(const api::Pod& pod) {
  if (all_.budgets_.empty() || pod.meta.labels.empty()) return false;
  const auto of = all_.by_namespace_.find(std::string_view(pod.meta.namespace_));
  if (of == all_.by_namespace_.end()) return false;
  if (all_.is_spent(of->second)) return true;
  bool violates = false;
  of->second.index.each_candidate(pod.meta.labels, [&](std::size_t i) {
    if (violates) return;
    const auto& [budget, disrupted] = all_.budgets_[i];
    if (all_.is_spent(of->second)) return;
    all_.spend(of->second, *budget->selector);
    if (!budget->selector->matches(pod.meta.labels)) return;
    if (std::ranges::binary_search(disrupted, std::string_view(pod.meta.name))) return;
    // Upstream stops at the first violated budget: later ones are not charged. Its order is random, the order
    // here is that of the index.
    violates = ++taken_[i] > budget->disruptions_allowed;
  });
  return violates || all_.is_spent(of->second);
}

}  // namespace podium::plugins
