// A reference implementation of kube-scheduler's PodTopologySpread: plain loops over every pod of every node,
// without columns, classes and tables. The randomised tests compare the plugin with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/plugins/shared/node_selector.h"
#include "unit/scheduler/plugins/topology_fixture.h"

namespace podium::plugins::topology_test {

struct SpreadDefaults {
  std::vector<api::TopologySpreadConstraint> constraints;
  bool system = false;
};

struct Constraint {
  api::TopologySpreadConstraint spec;
  std::vector<api::LabelSelector> all_of;  // the selector, as a conjunction
  bool nothing = false;
  bool everything() const {
    return !nothing && std::ranges::all_of(all_of, [](const auto& each) { return each.empty(); });
  }
  bool matches(const api::Labels& labels) const {
    return !nothing && std::ranges::all_of(all_of, [&](const auto& each) { return each.matches(labels); });
  }
};

inline std::vector<api::LabelSelector> default_selector(const api::Pod& pod, const TestCluster& cluster) {
  using Kind = api::Workload::Kind;
  api::Labels labels;
  for (const auto& each : cluster.workloads) {
    if (each.kind != Kind::service || each.meta.namespace_ != pod.meta.namespace_) continue;
    if (each.selector && each.selector->matches(pod.meta.labels)) {
      for (const auto& [key, value] : each.selector->match_labels) labels.set(key, value);
    }
  }
  std::vector<api::LabelSelector> result;
  for (const auto& each : cluster.workloads) {
    const auto* owner = pod.meta.controller();
    if (!owner || each.meta.namespace_ != pod.meta.namespace_ || each.meta.name != owner->name ||
        !each.selector)
      continue;
    if (each.kind == Kind::replication_controller && owner->kind == "ReplicationController") {
      for (const auto& [key, value] : each.selector->match_labels) labels.set(key, value);
    }
    if ((each.kind == Kind::replica_set && owner->kind == "ReplicaSet") ||
        (each.kind == Kind::stateful_set && owner->kind == "StatefulSet")) {
      result.push_back(*each.selector);
    }
  }
  result.push_back({labels, {}});
  return result;
}

inline std::vector<Constraint> constraints_of(const api::Pod& pod, const TestCluster& cluster,
                                              const SpreadDefaults& defaults, bool hard) {
  std::vector<Constraint> result;
  const bool own = !pod.topology_spread.empty();
  const std::vector<api::TopologySpreadConstraint>& own_ones = pod.topology_spread;
  for (const auto& spec : own ? own_ones : defaults.constraints) {
    if (spec.do_not_schedule != hard) continue;
    Constraint constraint{spec, {}, false};
    if (own) {
      constraint.nothing = !spec.label_selector;
      if (spec.label_selector) constraint.all_of.push_back(*spec.label_selector);
      api::Labels keys;
      for (const auto& key : spec.match_label_keys) {
        if (const auto* value = pod.meta.labels.find(key)) keys.set(key, *value);
      }
      constraint.all_of.push_back({keys, {}});
    } else {
      constraint.all_of = default_selector(pod, cluster);
      if (constraint.everything()) return {};
    }
    result.push_back(constraint);
  }
  return result;
}

inline bool has_all(const api::Node& node, const std::vector<Constraint>& constraints) {
  return std::ranges::all_of(
      constraints, [&](const auto& each) { return node.meta.labels.contains(each.spec.topology_key); });
}

inline bool includes(const Constraint& constraint, const api::Pod& pod, const api::Node& node) {
  if (constraint.spec.honor_node_affinity && !required_affinity_selects(pod, node)) return false;
  if (!constraint.spec.honor_node_taints) return true;
  return std::ranges::none_of(node.taints, [&](const api::Taint& taint) {
    return taint.effect != api::TaintEffect::prefer_no_schedule &&
           std::ranges::none_of(pod.tolerations, [&](const auto& each) { return each.tolerates(taint); });
  });
}

inline int count_on(const api::Node& node, const Constraint& constraint, const api::Pod& pod,
                    const TestCluster& cluster) {
  if (constraint.everything()) return 0;
  return static_cast<int>(std::ranges::count_if(cluster.pods, [&](const api::Pod& each) {
    return each.node_name == node.meta.name && each.meta.namespace_ == pod.meta.namespace_ &&
           !each.terminating() && constraint.matches(each.meta.labels);
  }));
}

inline Verdicts reference_spread_filter(const api::Pod& pod, const TestCluster& cluster,
                                        const SpreadDefaults& defaults) {
  const auto constraints = constraints_of(pod, cluster, defaults, true);
  std::vector<std::map<std::string, int>> counts(constraints.size());
  for (const auto& node : cluster.nodes) {
    if (!has_all(node, constraints)) continue;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      if (!includes(constraints[i], pod, node)) continue;
      counts[i][*node.meta.labels.find(constraints[i].spec.topology_key)] +=
          count_on(node, constraints[i], pod, cluster);
    }
  }
  Verdicts result;
  for (const auto& node : cluster.nodes) {
    auto& verdict = result[node.meta.name];
    for (std::size_t i = 0; i < constraints.size() && verdict.empty(); ++i) {
      const auto& [spec, selector, nothing] = constraints[i];
      const auto* value = node.meta.labels.find(spec.topology_key);
      if (!value) {
        verdict = "UU: node(s) didn't match pod topology spread constraints (missing required label)";
        break;
      }
      int min = std::numeric_limits<int>::max();
      for (const auto& [domain, count] : counts[i]) min = std::min(min, count);
      if (static_cast<int>(counts[i].size()) < spec.min_domains.value_or(1)) min = 0;
      const auto it = counts[i].find(*value);
      const int here = it == counts[i].end() ? 0 : it->second;
      if (here + constraints[i].matches(pod.meta.labels) - min > spec.max_skew) {
        verdict = "U: node(s) didn't match pod topology spread constraints";
      }
    }
  }
  return result;
}

inline Scores reference_spread_score(const api::Pod& pod, const TestCluster& cluster,
                                     const SpreadDefaults& defaults,
                                     const std::vector<std::string>& infeasible) {
  const auto constraints = constraints_of(pod, cluster, defaults, false);
  if (constraints.empty()) return std::nullopt;
  const bool require_all = !pod.topology_spread.empty() || !defaults.system;
  std::vector<const api::Node*> feasible, scored;
  for (const auto& node : cluster.nodes) {
    if (std::ranges::find(infeasible, node.meta.name) != infeasible.end()) continue;
    feasible.push_back(&node);
    if (!require_all || has_all(node, constraints)) scored.push_back(&node);
  }
  const auto label = [](const api::Node& node, const std::string& key) {
    const auto* value = node.meta.labels.find(key);
    return value ? *value : std::string();
  };
  std::map<std::string, double> raw;
  for (const auto& constraint : constraints) {
    const auto& key = constraint.spec.topology_key;
    const bool hostname = key == api::label::hostname;
    std::map<std::string, int> counts;
    if (!hostname) {
      for (const auto* node : scored) counts[label(*node, key)] = 0;
      for (const auto& node : cluster.nodes) {
        if ((require_all && !has_all(node, constraints)) || !includes(constraint, pod, node)) continue;
        const auto it = counts.find(label(node, key));
        if (it != counts.end()) it->second += count_on(node, constraint, pod, cluster);
      }
    }
    const double weight = std::log(static_cast<double>((hostname ? scored.size() : counts.size()) + 2));
    for (const auto* node : scored) {
      if (!node->meta.labels.contains(key)) continue;
      const int count = hostname ? count_on(*node, constraint, pod, cluster) : counts.at(label(*node, key));
      raw[node->meta.name] +=
          static_cast<double>(count) * weight + static_cast<double>(constraint.spec.max_skew - 1);
    }
  }
  std::int64_t min = std::numeric_limits<std::int64_t>::max(), max = 0;
  for (const auto* node : scored) {
    const auto value = static_cast<std::int64_t>(std::round(raw[node->meta.name]));
    min = std::min(min, value);
    max = std::max(max, value);
  }
  Scores result{std::in_place};
  for (const auto* node : feasible) (*result)[node->meta.name] = 0;
  for (const auto* node : scored) {
    const auto value = static_cast<std::int64_t>(std::round(raw[node->meta.name]));
    (*result)[node->meta.name] = max == 0 ? 100 : 100 * (max + min - value) / max;
  }
  return result;
}

}  // namespace podium::plugins::topology_test
