// Queueing hints: whether an event may make a pod schedulable that InterPodAffinity rejected.
//
// One of upstream's rules can leave a pod that fits waiting until the periodic flush. podium keeps it, so
// that the same pods wait: namespace selectors are matched against empty labels, since an event has no
// namespace labels.
// Source: plugins/interpodaffinity/plugin.go isSchedulableAfterAssignedPodChange and
// isSchedulableAfterNodeChange.
#include <algorithm>

#include "api/values/node.h"
#include "api/values/pod.h"
#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace podium::plugins {
namespace {

bool matches(const api::PodAffinityTerm& term, const api::Pod& owner, const api::Pod& pod) {
  const auto& ns = pod.meta.namespace_;
  const bool in_namespace =
      std::ranges::find(term.namespaces, ns) != term.namespaces.end() ||
      (term.namespaces.empty() && !term.namespace_selector && ns == owner.meta.namespace_) ||
      (term.namespace_selector && term.namespace_selector->matches({}));
  return in_namespace && term.label_selector && term.label_selector->matches(pod.meta.labels);
}

bool matches_all(const std::vector<api::PodAffinityTerm>& terms, const api::Pod& owner, const api::Pod& pod) {
  return !terms.empty() &&
         std::ranges::all_of(terms, [&](const auto& term) { return matches(term, owner, pod); });
}

bool matches_any(const std::vector<api::PodAffinityTerm>& terms, const api::Pod& owner, const api::Pod& pod) {
  return std::ranges::any_of(terms, [&](const auto& term) { return matches(term, owner, pod); });
}

bool is_assigned_or_nominated(const api::Pod& pod) {
  return !pod.node_name.empty() || !pod.nominated_node.empty();
}

}  // namespace

bool affinity_helps_after_pod_change(const api::Pod& rejected, const api::Pod* before,
                                     const api::Pod* after) {
  if (!before && !after) return true;
  if ((before && !is_assigned_or_nominated(*before)) || (after && !is_assigned_or_nominated(*after)))
    return false;

  const auto& affinity = rejected.pod_affinity.required;
  const auto& anti_affinity = rejected.pod_anti_affinity.required;
  if (after && matches_all(affinity, rejected, *after) &&
      !(before && matches_all(affinity, rejected, *before)))
    return true;
  if (!before) return false;
  if (after)
    return matches_any(anti_affinity, rejected, *before) && !matches_any(anti_affinity, rejected, *after);
  return matches_any(anti_affinity, rejected, *before) ||
         matches_any(before->pod_anti_affinity.required, *before, rejected);
}

bool affinity_helps_after_node_change(const api::Pod& rejected, const api::Node* before,
                                      const api::Node* after) {
  if (!after) return true;
  const auto value = [](const api::Node* node, const std::string& key) {
    return node ? node->meta.labels.find(key) : nullptr;
  };
  const auto moved = [](const std::string* from, const std::string* to) {
    return from && to && *from != *to;
  };
  // A node that joins a domain may satisfy an affinity term.
  for (const auto& term : rejected.pod_affinity.required) {
    const auto *from = value(before, term.topology_key), *to = value(after, term.topology_key);
    if ((!from && to) || moved(from, to)) return true;
  }
  // A new node, or one that leaves a domain, may satisfy an anti-affinity term.
  return std::ranges::any_of(rejected.pod_anti_affinity.required, [&](const auto& term) {
    const auto *from = value(before, term.topology_key), *to = value(after, term.topology_key);
    return !before || (from && !to) || moved(from, to);
  });
}

}  // namespace podium::plugins
