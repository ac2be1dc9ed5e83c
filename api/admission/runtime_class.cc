#include "api/admission/runtime_class.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace podium::api {
namespace {

Result<void> set_overhead(const RuntimeClass* found, Pod& pod) {
  const bool has_overhead = found && found->overhead;
  if (!has_overhead && !pod.overhead.empty())
    return invalid("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  if (!has_overhead) return {};
  if (!pod.overhead.empty() && pod.overhead != *found->overhead)
    return invalid("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  pod.overhead = *found->overhead;
  return {};
}

// Both lists may be as large as the API server takes them: each is read once.
void add_tolerations(const std::vector<Toleration>& of_class, Pod& pod) {
  const auto is_less = [](const Toleration* a, const Toleration* b) {
    return std::tie(a->key, a->value, a->op, a->effect) < std::tie(b->key, b->value, b->op, b->effect);
  };
  std::vector<Toleration> all = pod.tolerations;
  std::set<const Toleration*, decltype(is_less)> known(is_less);
  for (const auto& each : pod.tolerations) known.insert(&each);
  for (const auto& each : of_class) {
    if (known.insert(&each).second) all.push_back(each);
  }
  if (all.size() > pod.tolerations.size()) pod.tolerations = std::move(all);
}

}  // namespace

Result<void> apply_runtime_class(const RuntimeClass* found, Pod& pod) {
  if (!pod.runtime_class.empty() && !found)
    return invalid(fmt::format("pod rejected: RuntimeClass \"{}\" not found", pod.runtime_class));
  if (auto set = set_overhead(found, pod); !set || !found) return set;
  std::vector<Labels::Entry> selector(pod.node_selector.begin(), pod.node_selector.end());
  for (const auto& [key, value] : found->node_selector) {
    const auto* own = pod.node_selector.find(key);
    if (own && *own != value) {
      return invalid(fmt::format(
          "conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; pod.spec.nodeSelector[{0}] = {2}", key,
          value, *own));
    }
    selector.emplace_back(key, value);
  }
  if (!found->node_selector.empty()) pod.node_selector = Labels(std::move(selector));
  if (!found->tolerations.empty()) add_tolerations(found->tolerations, pod);
  return {};
}

}  // namespace podium::api
