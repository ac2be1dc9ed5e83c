#include "explain/workload/placing_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string_view>

#include "scheduler/plugins/shared/selector_index.h"

namespace podium::explain {
namespace {

// The required terms of all pods that another pod may have to come before.
class RequiredTerms {
 public:
  explicit RequiredTerms(const std::vector<api::Pod>& pods) : pods_(pods) {
    for (std::size_t i = 0; i < pods.size(); ++i) {
      for (const auto& term : pods[i].pod_affinity.required) {
        // A pod that its own term selects may be the first of its kind.
        if (!term.label_selector || term.label_selector->matches(pods[i].meta.labels)) continue;
        index_.insert(*term.label_selector, terms_.size());
        terms_.push_back({&*term.label_selector, i});
      }
    }
  }

  // Calls f(pod) for each term that selects this pod.
  template <typename F>
  void each_selecting(const api::Pod& pod, F&& f) const {
    index_.each_candidate(pod.meta.labels, [&](std::size_t id) {
      const auto& [selector, owner] = terms_[id];
      if (pods_[owner].meta.namespace_ == pod.meta.namespace_ && selector->matches(pod.meta.labels)) f(owner);
    });
  }

 private:
  struct Term {
    const api::LabelSelector* selector;
    std::size_t owner;
  };
  const std::vector<api::Pod>& pods_;
  std::vector<Term> terms_;
  plugins::SelectorIndex index_;
};

}  // namespace

std::vector<std::size_t> placing_order(const std::vector<api::Pod>& pods) {
  std::vector<std::size_t> by_priority(pods.size()), rank(pods.size());
  std::iota(by_priority.begin(), by_priority.end(), std::size_t{0});
  std::ranges::stable_sort(by_priority, std::greater(),
                           [&](std::size_t i) { return pods[i].priority_or_zero(); });
  for (std::size_t i = 0; i < pods.size(); ++i) rank[by_priority[i]] = i;

  const RequiredTerms terms(pods);
  std::vector<std::size_t> required(pods.size());  // by pod: how often its terms select pods that are left
  for (const auto& pod : pods) terms.each_selecting(pod, [&](std::size_t owner) { ++required[owner]; });
  std::set<std::size_t> left, next;  // ranks; `next`: of those that require none that is left
  for (std::size_t i = 0; i < pods.size(); ++i) {
    left.insert(rank[i]);
    if (required[i] == 0) next.insert(rank[i]);
  }
  std::vector<std::size_t> order;
  while (!left.empty()) {
    const auto first = next.empty() ? *left.begin() : *next.begin();
    left.erase(first);
    next.erase(first);
    order.push_back(by_priority[first]);
    terms.each_selecting(pods[order.back()], [&](std::size_t owner) {
      if (--required[owner] == 0 && left.contains(rank[owner])) next.insert(rank[owner]);
    });
  }
  return order;
}

}  // namespace podium::explain
