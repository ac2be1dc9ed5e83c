#include "api/admission/runtime_class.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

Result<void> apply_runtime_class(const RuntimeClass* found, Pod& pod) {
  if (!pod.runtime_class.empty() && !found)
    return invalid(fmt::format("pod rejected: RuntimeClass \"{}\" not found", pod.runtime_class));
  if (auto set = set_overhead(found, pod); !set || !found) return set;
  for (const auto& [key, value] : found->node_selector) {
    const auto* own = pod.node_selector.find(key);
    if (own && *own != value) {
      return invalid(fmt::format(
          "conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; pod.spec.nodeSelector[{0}] = {2}", key,
          value, *own));
    }
    pod.node_selector.set(key, value);
  }
  for (const auto& toleration : found->tolerations) {
    if (std::ranges::find(pod.tolerations, toleration) == pod.tolerations.end())
      pod.tolerations.push_back(toleration);
  }
  return {};
}

}  // namespace podium::api
