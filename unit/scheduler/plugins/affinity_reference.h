// A reference implementation of kube-scheduler's InterPodAffinity: plain loops over every pod of every node,
// without columns, classes and tables. The randomised tests compare the plugin with it.
#pragma once

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "scheduler/plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "unit/scheduler/plugins/topology_fixture.h"

namespace podium::plugins::topology_test {

inline bool matches(const std::optional<api::LabelSelector>& selector, const api::Labels& labels) {
  return selector && selector->matches(labels);
}
inline const api::Namespace* find_namespace(const TestCluster& cluster, const std::string& name) {
  for (const auto& ns : cluster.namespaces) {
    if (ns.meta.name == name) return &ns;
  }
  return nullptr;
}

// The term of a pod in `owner_ns`; incoming pods' terms see namespaces by name.
inline bool term_matches(const api::PodAffinityTerm& term, const std::string& owner_ns,
                         const api::Pod& target, bool incoming, const TestCluster& cluster) {
  std::set<std::string> namespaces(term.namespaces.begin(), term.namespaces.end());
  if (term.namespaces.empty() && !term.namespace_selector) namespaces.insert(owner_ns);
  bool selected = false;
  if (incoming) {
    selected = term.namespace_selector && term.namespace_selector->empty();
    for (const auto& ns : cluster.namespaces) {
      if (matches(term.namespace_selector, ns.meta.labels)) namespaces.insert(ns.meta.name);
    }
  } else {
    const auto* ns = find_namespace(cluster, target.meta.namespace_);
    selected = matches(term.namespace_selector, ns ? ns->meta.labels : api::Labels());
  }
  if (!selected && !namespaces.contains(target.meta.namespace_)) return false;
  return matches(term.label_selector, target.meta.labels);
}

using Pairs = std::map<std::pair<std::string, std::string>, std::int64_t>;

inline const api::Node* node_of(const api::Pod& pod, const TestCluster& cluster) {
  for (const auto& node : cluster.nodes) {
    if (node.meta.name == pod.node_name) return &node;
  }
  return nullptr;
}

// Adds to the pair of the key and its value on the node; nothing where the node lacks the key.
inline void add(Pairs& pairs, const api::Node& node, const std::string& key, std::int64_t amount) {
  if (const auto* value = node.meta.labels.find(key)) pairs[{key, *value}] += amount;
}

inline std::int64_t at(const Pairs& pairs, const std::string& key, const std::string& value) {
  const auto it = pairs.find({key, value});
  return it == pairs.end() ? 0 : it->second;
}

inline Verdicts reference_affinity_filter(const api::Pod& pod, const TestCluster& cluster) {
  const auto& affinity = pod.pod_affinity.required;
  const auto& anti_affinity = pod.pod_anti_affinity.required;
  const auto matches_all = [&](const api::Pod& target) {
    return !affinity.empty() && std::ranges::all_of(affinity, [&](const auto& term) {
      return term_matches(term, pod.meta.namespace_, target, true, cluster);
    });
  };
  Pairs wanted, unwanted, refusing;
  for (const auto& each : cluster.pods) {
    const auto* node = node_of(each, cluster);
    if (!node) continue;
    if (matches_all(each)) {
      for (const auto& term : affinity) add(wanted, *node, term.topology_key, 1);
    }
    for (const auto& term : anti_affinity) {
      if (term_matches(term, pod.meta.namespace_, each, true, cluster))
        add(unwanted, *node, term.topology_key, 1);
    }
    for (const auto& term : each.pod_anti_affinity.required) {
      if (term_matches(term, each.meta.namespace_, pod, false, cluster))
        add(refusing, *node, term.topology_key, 1);
    }
  }
  Verdicts result;
  for (const auto& node : cluster.nodes) {
    auto& verdict = result[node.meta.name];
    bool keys = true, near = true, apart = true, welcome = true;
    for (const auto& term : affinity) {
      const auto* value = node.meta.labels.find(term.topology_key);
      keys &= value != nullptr;
      near &= value && at(wanted, term.topology_key, *value) > 0;
    }
    for (const auto& term : anti_affinity) {
      const auto* value = node.meta.labels.find(term.topology_key);
      apart &= !value || at(unwanted, term.topology_key, *value) == 0;
    }
    for (const auto& [key, value] : node.meta.labels) welcome &= at(refusing, key, value) == 0;
    if (!keys || (!near && !(wanted.empty() && matches_all(pod))))
      verdict = "UU: node(s) didn't match pod affinity rules";
    else if (!apart)
      verdict = "U: node(s) didn't match pod anti-affinity rules";
    else if (!welcome)
      verdict = "U: node(s) didn't satisfy existing pods anti-affinity rules";
  }
  return result;
}

inline Scores reference_affinity_score(const api::Pod& pod, const TestCluster& cluster,
                                       InterPodAffinity::Args args,
                                       const std::vector<std::string>& infeasible) {
  const auto& prefer = pod.pod_affinity.preferred;
  const auto& avoid = pod.pod_anti_affinity.preferred;
  if (args.ignore_preferred_terms_of_existing_pods && prefer.empty() && avoid.empty()) return std::nullopt;
  Pairs weights;
  for (const auto& each : cluster.pods) {
    const auto* node = node_of(each, cluster);
    if (!node) continue;
    const auto own = [&](const api::PodAffinityTerm& term, int weight) {
      if (term_matches(term, pod.meta.namespace_, each, true, cluster))
        add(weights, *node, term.topology_key, weight);
    };
    const auto theirs = [&](const api::PodAffinityTerm& term, int weight) {
      if (term_matches(term, each.meta.namespace_, pod, false, cluster))
        add(weights, *node, term.topology_key, weight);
    };
    for (const auto& [weight, term] : prefer) own(term, weight);
    for (const auto& [weight, term] : avoid) own(term, -weight);
    if (args.hard_pod_affinity_weight > 0) {
      for (const auto& term : each.pod_affinity.required) theirs(term, args.hard_pod_affinity_weight);
    }
    for (const auto& [weight, term] : each.pod_affinity.preferred) theirs(term, weight);
    for (const auto& [weight, term] : each.pod_anti_affinity.preferred) theirs(term, -weight);
  }
  if (weights.empty()) return std::nullopt;
  Scores result{std::in_place};
  for (const auto& node : cluster.nodes) {
    if (std::ranges::find(infeasible, node.meta.name) != infeasible.end()) continue;
    std::int64_t sum = 0;
    for (const auto& [key, value] : node.meta.labels) sum += at(weights, key, value);
    (*result)[node.meta.name] = sum;
  }
  const auto [low, high] = std::ranges::minmax(*result | std::views::values);
  for (auto& [name, score] : *result) {
    score = high == low ? 0
                        : static_cast<std::int64_t>(
                              100.0 * (static_cast<double>(score - low) / static_cast<double>(high - low)));
  }
  return result;
}

}  // namespace podium::plugins::topology_test
