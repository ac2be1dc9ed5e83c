#include "explain/answer/drain_budgets.h"

#include <algorithm>
#include <utility>

#include "explain/report/each_field.h"
#include "explain/workload/eviction_budgets.h"

namespace podium::explain {
namespace {

constexpr std::size_t kMostBudgets = bound_of(&ChangeResult::budgets).items,
                      kMostProtected = bound_of(&BrokenBudget::pods).items;

}  // namespace

bool may_see(const std::string& ns, const ChangeContext& context) {
  return ns == context.ns || context.seen_namespaces.contains(ns);
}

std::vector<const api::PodDisruptionBudget*> budgets_of(std::string_view ns,
                                                        const cluster::Objects& objects) {
  const auto& all = objects.all<api::PodDisruptionBudget>();
  std::vector<const api::PodDisruptionBudget*> out;
  for (auto it = all.lower_bound(std::pair(ns, std::string_view())); it != all.end(); ++it) {
    if (it->first.first != ns) break;
    if (it->second->selector) out.push_back(it->second.get());
  }
  return out;
}

namespace {

void name_budget(const api::PodDisruptionBudget& budget, const EvictionBudgets::Exceeded& exceeded,
                 const ChangeContext& context, ChangeResult& done) {
  ++done.budgets_total;
  if (done.budgets.size() == kMostBudgets) return;
  const auto& ns = budget.meta.namespace_;
  BrokenBudget named{.name = budget.meta.name,
                     .ns = ns == context.ns ? "" : ns,
                     .allowed = exceeded.allowed,
                     .pods_total = exceeded.pods.size()};
  for (const auto* pod : exceeded.pods) named.pods.push_back(pod->meta.name);
  std::ranges::sort(named.pods);
  named.pods.resize(std::min(named.pods.size(), kMostProtected));
  done.budgets.push_back(std::move(named));
}

}  // namespace

PodTexts find_broken_budgets(const std::vector<cluster::PodInfoPtr>& evicted, const ChangeContext& context,
                             const cluster::Snapshot& fork, ChangeResult& done) {
  done.budgets_broken = 0;
  std::map<std::string_view, std::vector<const api::Pod*>> by_namespace;
  for (const auto& pod : evicted) by_namespace[pod->pod->meta.namespace_].push_back(pod->pod.get());
  EvictionBudgets budgets;
  for (const auto& [ns, pods] : by_namespace) {
    for (const auto* budget : budgets_of(ns, fork.objects())) {
      const auto exceeded = budgets.check(*budget, pods, [&] { return has_time(context.budget); });
      if (!exceeded) continue;
      ++*done.budgets_broken;
      if (may_see(budget->meta.namespace_, context)) name_budget(*budget, *exceeded, context, done);
    }
  }
  PodTexts out;
  for (auto& [pod, matching, words] : budgets.obstacles()) {
    if (matching.total > 1) ++done.with_several_budgets;
    out.emplace(pod->meta.uid, std::move(words));
  }
  return out;
}

}  // namespace podium::explain
