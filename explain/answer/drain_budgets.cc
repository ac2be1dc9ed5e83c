#include "explain/answer/drain_budgets.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "explain/workload/eviction_cost.h"

namespace podium::explain {
namespace {

constexpr std::size_t kMostBudgets = 8, kMostProtected = 16;

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

struct Selecting {
  MatchingBudgets budgets;
  std::string words;  // about the first one, if it does not allow the evictions
};

// For evictions, an empty selector matches all pods of the namespace.
class BrokenBudgets {
 public:
  BrokenBudgets(const ChangeContext& context, ChangeResult& done) : context_(context), done_(done) {}

  void find(const api::PodDisruptionBudget& budget, const std::vector<const api::Pod*>& pods) {
    const auto& [name, ns] = std::tie(budget.meta.name, budget.meta.namespace_);
    BrokenBudget found{.name = name, .ns = ns == context_.ns ? "" : ns};
    std::vector<Selecting*> hits;
    for (const auto* pod : pods) {
      if (!has_time(context_.budget)) break;
      if (!budget.selector->matches(pod->meta.labels)) continue;
      auto& of_pod = by_pod_[pod->meta.uid];
      of_pod.budgets.add(name);
      if (!takes_disruption(*pod, budget)) continue;
      found.pods.push_back(pod->meta.name);
      hits.push_back(&of_pod);
    }
    found.pods_total = found.pods.size();
    found.allowed = static_cast<std::size_t>(std::max(0, budget.disruptions_allowed));
    if (found.pods_total <= found.allowed) return;
    ++*done_.budgets_broken;
    const auto words = budget_words(name, found.allowed, found.pods_total);
    for (auto* hit : hits) {
      if (hit->budgets.total == 1) hit->words = words;
    }
    if (may_see(ns, context_)) add(std::move(found));
  }

  PodTexts texts() {
    PodTexts out;
    for (auto& [uid, of_pod] : by_pod_) {
      if (of_pod.budgets.total > 1) {
        ++done_.with_several_budgets;
        of_pod.words = several_budgets_words("it", of_pod.budgets);
      }
      if (!of_pod.words.empty()) out.emplace(uid, std::move(of_pod.words));
    }
    return out;
  }

 private:
  void add(BrokenBudget found) {
    ++done_.budgets_total;
    if (done_.budgets.size() == kMostBudgets) return;
    std::ranges::sort(found.pods);
    found.pods.resize(std::min(found.pods.size(), kMostProtected));
    done_.budgets.push_back(std::move(found));
  }

  const ChangeContext& context_;
  ChangeResult& done_;
  std::map<std::string_view, Selecting> by_pod_;  // by UID
};

}  // namespace

PodTexts find_broken_budgets(const std::vector<cluster::PodInfoPtr>& evicted, const ChangeContext& context,
                             const cluster::Snapshot& fork, ChangeResult& done) {
  done.budgets_broken = 0;
  std::map<std::string_view, std::vector<const api::Pod*>> by_namespace;
  for (const auto& pod : evicted) {
    if (asks_budgets(*pod->pod)) by_namespace[pod->pod->meta.namespace_].push_back(pod->pod.get());
  }
  BrokenBudgets broken(context, done);
  for (const auto& [ns, pods] : by_namespace) {
    for (const auto* budget : budgets_of(ns, fork.objects())) broken.find(*budget, pods);
  }
  return broken.texts();
}

}  // namespace podium::explain
