#include "explain/answer/drain_budgets.h"

#include <algorithm>
#include <utility>

#include "explain/workload/eviction_cost.h"

namespace podium::explain {
namespace {

constexpr std::size_t kMostBudgets = 8, kMostProtected = 16;

}  // namespace

bool may_see(const std::string& ns, const ChangeContext& context) {
  return ns == context.ns || context.seen_namespaces.contains(ns);
}

// For evictions, an empty selector matches all pods of the namespace.
PodTexts find_broken_budgets(const std::vector<cluster::PodInfoPtr>& evicted, const ChangeContext& context,
                             const cluster::Snapshot& fork, ChangeResult& done) {
  PodTexts out;
  done.budgets_broken = 0;
  std::map<std::string_view, std::vector<std::string>> budgets_of;  // by UID
  for (const auto& [key, budget] : fork.objects().all<api::PodDisruptionBudget>()) {
    const auto& selector = budget->selector;
    const auto& ns = budget->meta.namespace_;
    if (!selector) continue;
    BrokenBudget found{.name = budget->meta.name, .ns = ns == context.ns ? "" : ns};
    std::vector<std::string_view> hits;
    for (const auto& pod : evicted) {
      const auto& meta = pod->pod->meta;
      if (meta.namespace_ != ns || !has_time(context.budget) || !asks_budgets(*pod->pod) ||
          !selector->matches(meta.labels))
        continue;
      budgets_of[meta.uid].push_back(budget->meta.name);
      if (!takes_disruption(*pod->pod, *budget)) continue;
      found.pods.push_back(meta.name);
      hits.push_back(meta.uid);
    }
    found.pods_total = found.pods.size();
    found.allowed = static_cast<std::size_t>(std::max(0, budget->disruptions_allowed));
    if (found.pods_total <= found.allowed) continue;
    ++*done.budgets_broken;
    const auto words = budget_words(found.name, found.allowed, found.pods_total);
    for (const auto uid : hits) out[uid].push_back(words);
    if (!may_see(ns, context)) continue;
    ++done.budgets_total;
    if (done.budgets.size() == kMostBudgets) continue;
    std::ranges::sort(found.pods);
    found.pods.resize(std::min(found.pods.size(), kMostProtected));
    done.budgets.push_back(std::move(found));
  }
  for (const auto& [uid, names] : budgets_of) {
    if (names.size() < 2) continue;
    ++done.with_several_budgets;
    out[uid] = {several_budgets_words("it", names)};
  }
  return out;
}

}  // namespace podium::explain
