#include "explain/workload/eviction_cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "api/values/labels.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "base/ascii.h"
#include "base/counted.h"

namespace podium::explain {
namespace {

constexpr const char* kSafeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict";
constexpr const char* kSafeVolumes = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";

// The names are separated by commas, and spaces are part of a name.
std::set<std::string_view> listed_names(std::string_view names) {
  const auto parts = split_without_empty(names, ",");
  return {parts.begin(), parts.end()};
}

}  // namespace

bool says(const api::Labels& annotations, const char* key, std::string_view value) {
  const auto* found = annotations.find(key);
  return found && *found == value;
}

std::optional<Protection> protection_of(const api::Pod& pod) {
  const auto& annotations = pod.meta.annotations;
  if (says(annotations, kDoNotDisrupt, "true"))
    return Protection{"DoNotDisrupt", fmt::format("has the annotation {}: true", kDoNotDisrupt)};
  if (says(annotations, kSafeToEvict, "false"))
    return Protection{"NotSafeToEvict", fmt::format("has the annotation {}: false", kSafeToEvict)};
  return std::nullopt;
}

std::optional<std::string> local_data_of(const api::Pod& pod) {
  if (says(pod.meta.annotations, kSafeToEvict, "true")) return std::nullopt;
  const auto* annotation = pod.meta.annotations.find(kSafeVolumes);
  const auto safe = annotation ? listed_names(*annotation) : std::set<std::string_view>();
  for (const auto& volume : pod.volumes) {
    if (volume.kind != api::Volume::Kind::other || volume.id.empty()) continue;
    if (!safe.contains(volume.name)) return fmt::format("{} {}", volume.id, volume.name);
  }
  return std::nullopt;
}

bool asks_budgets(const api::Pod& pod) {
  return !pod.terminated() && pod.phase != "Pending" && !pod.meta.deleted;
}

bool is_ready(const api::Pod& pod) {
  // A kubelet writes both together with the phase.
  if (pod.conditions.empty() && pod.container_statuses.empty()) return pod.phase == "Running";
  return std::ranges::any_of(pod.conditions,
                             [](const auto& each) { return each.type == "Ready" && each.status == "True"; });
}

bool takes_disruption(const api::Pod& pod, const api::PodDisruptionBudget& budget) {
  if (is_ready(pod)) return true;
  const bool is_healthy = budget.desired_healthy > 0 && budget.current_healthy >= budget.desired_healthy;
  return !budget.evicts_unhealthy && !is_healthy;
}

std::string budget_words(const std::string& budget, std::size_t allowed, std::size_t pods) {
  const auto words = fmt::format("budget {} allows {}", budget, counted(allowed, "disruption"));
  return allowed > 0 ? fmt::format("{}, and {} of its pods are here", words, pods) : words;
}

void MatchingBudgets::add(const std::string& name) {
  constexpr std::size_t kMostNamed = 4;
  if (++total <= kMostNamed) names.push_back(name);
}

std::string several_budgets_words(const std::string& pod, const MatchingBudgets& budgets) {
  auto out = fmt::format("{} budgets match {}, so its eviction is not allowed: {}", budgets.total, pod,
                         fmt::join(budgets.names, ", "));
  if (budgets.total > budgets.names.size())
    out += fmt::format(" and {} more", budgets.total - budgets.names.size());
  return out;
}

}  // namespace podium::explain
