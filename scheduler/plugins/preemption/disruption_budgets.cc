#include "scheduler/plugins/preemption/disruption_budgets.h"

#include <algorithm>

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

DisruptionBudgets::Split DisruptionBudgets::split(std::span<const cluster::PodInfoPtr> pods) {
  Split out;
  boost::unordered_flat_map<std::size_t, std::int64_t> taken;  // evictions by budget
  for (const auto& pod : pods) {
    const auto& meta = (*pod)->meta;
    const auto of = by_namespace_.find(std::string_view(meta.namespace_));
    bool violates = false;
    if (of != by_namespace_.end() && !meta.labels.empty() && !is_spent(of->second)) {
      of->second.index.each_candidate(meta.labels, [&](std::size_t i) {
        if (violates) return;
        const auto& [budget, disrupted] = budgets_[i];
        if (is_spent(of->second)) return;
        spend(of->second, *budget->selector);
        if (!budget->selector->matches(meta.labels)) return;
        if (std::ranges::binary_search(disrupted, std::string_view(meta.name))) return;
        // Upstream stops at the first violated budget: later ones are not charged. Its order is random, the
        // order here is that of the index.
        violates = ++taken[i] > budget->disruptions_allowed;
      });
    }
    violates |= of != by_namespace_.end() && !meta.labels.empty() && is_spent(of->second);
    (violates ? out.violating : out.others).push_back(pod);
  }
  return out;
}

}  // namespace podium::plugins
