// What speaks against the eviction of a pod: its author's annotations, data on its node, and budgets.
//
// The rules are cluster-autoscaler's, with its default flags, and Karpenter's. kubectl drain knows neither.
//
// Threads: pure functions. Errors: none.
// Source: cluster-autoscaler/simulator/drainability/rules (notsafetoevict, localstorage);
// pkg/registry/core/pod/rest/eviction.go.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace podium::api {
class Labels;
struct Pod;
struct PodDisruptionBudget;
}  // namespace podium::api

namespace podium::explain {

inline constexpr const char* kDoNotDisrupt = "karpenter.sh/do-not-disrupt";

bool says(const api::Labels& annotations, const char* key, std::string_view value);

struct Protection {
  const char* code;     // "DoNotDisrupt", "NotSafeToEvict"
  std::string because;  // "has the annotation karpenter.sh/do-not-disrupt: true"
};
// nullopt: no annotation is against an eviction.
std::optional<Protection> protection_of(const api::Pod& pod);

// "emptyDir scratch": a volume with data that stays on the node's disk, or is deleted there. Nullopt: the pod
// has none, or only volumes that its author declares as safe to lose. An emptyDir in memory does not count.
std::optional<std::string> local_data_of(const api::Pod& pod);

bool is_ready(const api::Pod& pod);
// Whether the eviction API asks the pod's budgets: not if it is pending, has ended or terminates.
bool asks_budgets(const api::Pod& pod);
// Whether the eviction of such a pod takes one of the budget's disruptions. A pod that is not ready takes
// none if the budget has as many ready pods as it should have, or its policy is AlwaysAllow.
bool takes_disruption(const api::Pod& pod, const api::PodDisruptionBudget& budget);

// "budget web allows 1 disruption, and 3 of its pods are here".
std::string budget_words(const std::string& budget, std::size_t allowed, std::size_t pods);

// The budgets that match a pod. Names the first ones: a user may write many budgets that all match many pods.
struct MatchingBudgets {
  std::size_t total = 0;
  std::vector<std::string> names = {};
  void add(const std::string& name);
};
// "2 budgets match it, so its eviction is not allowed: a, b". `pod`: "it", or its name.
std::string several_budgets_words(const std::string& pod, const MatchingBudgets& budgets);

}  // namespace podium::explain
