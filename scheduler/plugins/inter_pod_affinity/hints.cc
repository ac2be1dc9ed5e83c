// When a pod that InterPodAffinity turned down may fit.
//
// Source: plugins/interpodaffinity/plugin.go isSchedulableAfterPodChange and isSchedulableAfterNodeChange. Two of upstream's
// answers can leave a pod waiting for the flush although it fits, and are kept, so that the same pods wait: a
// pod that goes has to match *all* anti-affinity terms; and an event does not know the labels of a namespace,
// so that a namespace selector is asked about none.
#include <algorithm>

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

bool has_place(const api::Pod& pod) { return !pod.node_name.empty() || !pod.nominated_node.empty(); }

}  // namespace

bool affinity_helps_after_pod_change(const api::Pod& rejected, const api::Pod* before,
                                     const api::Pod* after) {
  if (!before && !after) return true;
  // The pod's own labels have changed: some other pod's anti-affinity may no longer mean it.
  if (before && after && after->meta.uid == rejected.meta.uid) return true;
  if ((before && !has_place(*before)) || (after && !has_place(*after))) return false;

  const auto& affinity = rejected.pod_affinity.required;
  const auto& anti_affinity = rejected.pod_anti_affinity.required;
  if (after && matches_all(affinity, rejected, *after) &&
      !(before && matches_all(affinity, rejected, *before)))
    return true;
  if (!before) return false;
  if (after)
    return matches_all(anti_affinity, rejected, *before) && !matches_all(anti_affinity, rejected, *after);
  return matches_all(anti_affinity, rejected, *before) ||
         matches_all(before->pod_anti_affinity.required, *before, rejected);
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
  // A node that joins a domain, or comes with one, may be beside the wanted pods.
  for (const auto& term : rejected.pod_affinity.required) {
    const auto *from = value(before, term.topology_key), *to = value(after, term.topology_key);
    if ((!from && to) || moved(from, to)) return true;
  }
  // A node that leaves a domain, or is new, may be away from the unwanted ones.
  return std::ranges::any_of(rejected.pod_anti_affinity.required, [&](const auto& term) {
    const auto *from = value(before, term.topology_key), *to = value(after, term.topology_key);
    return !before || (from && !to) || moved(from, to);
  });
}

}  // namespace podium::plugins
