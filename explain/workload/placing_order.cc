#include "explain/workload/placing_order.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace podium::explain {
namespace {

// A pod that its own term selects may be the first of its kind.
bool requires_first(const api::Pod& pod, const api::Pod& other) {
  if (pod.meta.namespace_ != other.meta.namespace_) return false;
  return std::ranges::any_of(pod.pod_affinity.required, [&](const api::PodAffinityTerm& term) {
    return term.label_selector && term.label_selector->matches(other.meta.labels) &&
           !term.label_selector->matches(pod.meta.labels);
  });
}

}  // namespace

std::vector<std::size_t> placing_order(const std::vector<api::Pod>& pods) {
  std::vector<std::size_t> left(pods.size()), order;
  std::iota(left.begin(), left.end(), 0U);
  std::ranges::stable_sort(left, std::greater(), [&](std::size_t i) { return pods[i].priority_or_zero(); });
  while (!left.empty()) {
    const auto is_next = [&](std::size_t i) {
      return std::ranges::none_of(
          left, [&](std::size_t other) { return other != i && requires_first(pods[i], pods[other]); });
    };
    auto next = std::ranges::find_if(left, is_next);
    if (next == left.end()) next = left.begin();
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

}  // namespace podium::explain
