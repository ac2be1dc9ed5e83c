#include "scheduler/plugins/preemption/disruption_budgets.h"

#include <algorithm>

#include "api/values/objects.h"
#include "api/values/pod.h"
#include "scheduler/cluster/cluster_objects.h"

namespace podium::plugins {
namespace {

const BudgetPtr kNotCompared;

}  // namespace

DisruptionBudgets::DisruptionBudgets(const cluster::Objects& objects) {
  for (const auto& [_, budget] : objects.all<api::PodDisruptionBudget>()) {
    if (!budget->selector || budget->selector->empty()) continue;
    by_namespace_[budget->meta.namespace_].index.insert(*budget->selector, budgets_.size());
    std::vector<std::string_view> disrupted(budget->disrupted_pods.begin(), budget->disrupted_pods.end());
    std::ranges::sort(disrupted);
    budgets_.push_back({&budget, std::move(disrupted)});
  }
}

void DisruptionBudgets::spend(OfNamespace& of, const api::LabelSelector& selector) {
  const auto cost =
      1 + static_cast<std::int64_t>(selector.match_labels.size() + selector.match_expressions.size());
  of.left -= cost;
  left_ -= cost;
}

const BudgetPtr* DisruptionBudgets::Eviction::violates(const api::Pod& pod) {
  if (all_.budgets_.empty() || pod.meta.labels.empty()) return nullptr;
  const auto of = all_.by_namespace_.find(std::string_view(pod.meta.namespace_));
  if (of == all_.by_namespace_.end()) return nullptr;
  if (all_.is_spent(of->second)) return &kNotCompared;
  const BudgetPtr* violated = nullptr;
  of->second.index.each_candidate(pod.meta.labels, [&](std::size_t i) {
    if (violated) return;
    const auto& [budget, disrupted] = all_.budgets_[i];
    if (all_.is_spent(of->second)) return;
    const auto& selector = *(*budget)->selector;
    all_.spend(of->second, selector);
    if (!selector.matches(pod.meta.labels)) return;
    if (std::ranges::binary_search(disrupted, std::string_view(pod.meta.name))) return;
    // Upstream stops at the first violated budget: later ones are not charged. Its order is random, the order
    // here is that of the index.
    if (++taken_[i] > (*budget)->disruptions_allowed) violated = budget;
  });
  return !violated && all_.is_spent(of->second) ? &kNotCompared : violated;
}

void add_victim(const cluster::PodInfoPtr& pod, const BudgetPtr* violated,
                framework::PreemptionCandidate& to) {
  to.victims.push_back(pod);
  if (!violated) return;
  ++to.budget_violations;
  if (*violated) to.violated.push_back({pod, *violated});
}

}  // namespace podium::plugins
