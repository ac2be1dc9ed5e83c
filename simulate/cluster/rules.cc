#include "simulate/cluster/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/values/pod.h"

namespace podium::simulate {
namespace {

bool selects(const Rule& rule, const Neighbour& owner, const Neighbour& other) {
  return owner.ns == other.ns && rule.app == other.app;
}

// Empty: the node does not exist, or lacks the key.
std::string domain_of(const Topology& topology, const std::string& node, const std::string& key) {
  const auto there = topology.find(node);
  if (there == topology.end()) return {};
  const auto value = there->second.find(key);
  return value == there->second.end() ? "" : value->second;
}

bool same_domain(const Topology& topology, const std::string& one, const std::string& other,
                 const std::string& key) {
  const auto domain = domain_of(topology, one, key);
  return !domain.empty() && domain == domain_of(topology, other, key);
}

// The first pod of a group may be anywhere.
bool has_company(const Neighbour& pod, const Rule& rule, const std::string& node,
                 const std::vector<Neighbour>& others, const Topology& topology) {
  bool any = false;
  for (const auto& other : others) {
    if (!selects(rule, pod, other) || domain_of(topology, other.node, rule.key).empty()) continue;
    if (same_domain(topology, node, other.node, rule.key)) return true;
    any = true;
  }
  return !any && selects(rule, pod, pod);
}

// Only nodes that the pod's selector accepts are domains; a cordoned node also is one.
bool is_even(const Neighbour& pod, const Rule& rule, const std::string& node,
             const std::vector<Neighbour>& others, const Topology& topology) {
  const auto accepts = [&](const auto& labels) {
    return pod.zone_wanted.empty() || labels.at("zone") == pod.zone_wanted;
  };
  std::map<std::string, std::int64_t> counts;  // by domain
  for (const auto& [name, labels] : topology) {
    if (accepts(labels)) counts.try_emplace(labels.at(rule.key), 0);
  }
  for (const auto& other : others) {
    const auto there = topology.find(other.node);
    if (there == topology.end() || !accepts(there->second) || other.leaves) continue;
    if (selects(rule, pod, other)) ++counts[there->second.at(rule.key)];
  }
  if (counts.empty()) return true;
  const auto least = std::ranges::min_element(counts, {}, [](const auto& one) { return one.second; })->second;
  const auto here = counts[domain_of(topology, node, rule.key)] + (selects(rule, pod, pod) ? 1 : 0);
  return here - least <= rule.max_skew;
}

}  // namespace

Neighbour neighbour_of(const json::value& pod) {
  Neighbour out{.uid = uid_of(pod),
                .name = full_name(pod),
                .ns = text_at(pod, "/metadata/namespace"),
                .app = text_at(pod, "/metadata/labels/app"),
                .node = text_at(pod, "/spec/nodeName"),
                .zone_wanted = text_at(pod, "/spec/nodeSelector/zone"),
                .priority = number_at(pod, "/spec/priority"),
                .leaves = is_leaving(pod)};
  const auto add = [&out](Rule::Kind kind, const json::array& terms) {
    for (const auto& term : terms) {
      out.rules.push_back({kind, text_at(term, "/labelSelector/matchLabels/app"),
                           text_at(term, "/topologyKey"),
                           std::max<std::int64_t>(1, number_at(term, "/maxSkew"))});
    }
  };
  const std::string required = "/requiredDuringSchedulingIgnoredDuringExecution";
  add(Rule::Kind::affinity, list_at(pod, "/spec/affinity/podAffinity" + required));
  add(Rule::Kind::anti_affinity, list_at(pod, "/spec/affinity/podAntiAffinity" + required));
  add(Rule::Kind::spread, list_at(pod, "/spec/topologySpreadConstraints"));
  return out;
}

Neighbour neighbour_of(const api::Pod& pod) {
  const auto app_of = [](const api::Labels& labels) {
    const auto* app = labels.find("app");
    return app ? *app : std::string();
  };
  Neighbour out{.uid = pod.meta.uid,
                .name = pod.full_name(),
                .ns = pod.meta.namespace_,
                .app = app_of(pod.meta.labels),
                .node = pod.node_name,
                .priority = pod.priority_or_zero(),
                .leaves = pod.terminating()};
  if (const auto* zone = pod.node_selector.find("zone")) out.zone_wanted = *zone;
  const auto add = [&](Rule::Kind kind, const api::PodAffinityTerm& term) {
    out.rules.push_back(
        {kind, term.label_selector ? app_of(term.label_selector->match_labels) : "", term.topology_key});
  };
  for (const auto& term : pod.pod_affinity.required) add(Rule::Kind::affinity, term);
  for (const auto& term : pod.pod_anti_affinity.required) add(Rule::Kind::anti_affinity, term);
  for (const auto& one : pod.topology_spread) {
    out.rules.push_back({Rule::Kind::spread,
                         one.label_selector ? app_of(one.label_selector->match_labels) : "", one.topology_key,
                         one.max_skew});
  }
  return out;
}

bool repel(const Neighbour& one, const std::string& node_of_one, const Neighbour& other,
           const std::string& node_of_other, const Topology& topology) {
  const auto has_against = [&](const Neighbour& owner, const Neighbour& selected) {
    return std::ranges::any_of(owner.rules, [&](const Rule& rule) {
      return rule.kind == Rule::Kind::anti_affinity && selects(rule, owner, selected) &&
             same_domain(topology, node_of_one, node_of_other, rule.key);
    });
  };
  return has_against(one, other) || has_against(other, one);
}

std::set<std::string> broken_rules(const Neighbour& pod, const std::string& node,
                                   const std::vector<Neighbour>& others, const Topology& topology) {
  std::set<std::string> out;
  for (const auto& other : others) {
    if (repel(pod, node, other, other.node, topology))
      out.insert(fmt::format("anti-affinity with {} on {}", other.name, other.node));
  }
  for (const auto& rule : pod.rules) {
    if (rule.kind == Rule::Kind::affinity && !has_company(pod, rule, node, others, topology))
      out.insert(fmt::format("affinity to {} in its {}", rule.app, rule.key));
    if (rule.kind == Rule::Kind::spread && !is_even(pod, rule, node, others, topology))
      out.insert(fmt::format("spread of {} over each {}", rule.app, rule.key));
  }
  return out;
}

}  // namespace podium::simulate
