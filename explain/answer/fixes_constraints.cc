#include <fmt/format.h>

#include <algorithm>

#include "api/values/tolerations.h"
#include "explain/answer/fix_kinds.h"
#include "explain/question/change.h"

namespace podium::explain {
namespace {

constexpr std::size_t kMostTaints = 16;

// The untolerated taints of nodes that were rejected for them, each once, in the order of the nodes.
// `hidden`: of all rejected nodes, without taints that describe a node's state.
std::vector<api::Taint> untolerated(const Trials& trials, bool hidden) {
  const api::Tolerations tolerations(trials.pod().tolerations, false);
  std::vector<api::Taint> taints;
  for (const auto row : trials.rejected()) {
    if (!trials.has_time()) return taints;
    if (!hidden && trials.verdict(row).plugin != "TaintToleration") continue;
    for (const auto& taint : trials.question().fork.entry(row).node->taints) {
      if (taints.size() == kMostTaints) return taints;
      if (hidden && taint.key.starts_with("node.kubernetes.io/")) continue;
      if (tolerations.are_kept_away_by(taint) && std::ranges::find(taints, taint) == taints.end())
        taints.push_back(taint);
    }
  }
  return taints;
}

bool each_toleration(const Trials& trials, bool hidden, const SeeRemedy& see) {
  for (const auto& taint : untolerated(trials, hidden)) {
    const auto text = fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                                  to_string(taint.effect));
    const bool more = see({.type = "TolerateTaint",
                           .fields = {{"taint",
                                       {{"key", taint.key},
                                        {"value", taint.value},
                                        {"effect", std::string(to_string(taint.effect))}}}},
                           .message = "tolerate the taint " + text,
                           .change_pod = [taint](api::Pod& pod) {
                             pod.tolerations.push_back({.key = taint.key,
                                                        .value = taint.value,
                                                        .op = api::Toleration::Op::equal,
                                                        .effect = taint.effect});
                           }});
    if (!more) return false;
  }
  return true;
}

bool each_selector_key(const Trials& trials, const SeeRemedy& see) {
  const auto& as_written = trials.question().replicas.subject.pod.node_selector;
  for (const auto& [key, value] : trials.pod().node_selector) {
    // A key of the pod's RuntimeClass would be there again.
    if (!as_written.find(key)) continue;
    const bool more =
        see({.type = "WithoutNodeSelector",
             .fields = {{"key", key}},
             .message = fmt::format("no nodeSelector {}={}", key, value),
             .change_pod = [key](api::Pod& pod) {
               std::vector<api::Labels::Entry> left(pod.node_selector.begin(), pod.node_selector.end());
               std::erase_if(left, [&](const auto& each) { return each.first == key; });
               pod.node_selector = api::Labels(std::move(left));
             }});
    if (!more) return false;
  }
  return true;
}

template <typename List>
void erase_at(List& list, std::size_t i) {
  if (i < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
}

void drop_requirement(api::Pod& pod, std::size_t term, std::size_t i) {
  auto& terms = pod.node_affinity.required;
  if (!terms || term >= terms->size()) return;
  erase_at((*terms)[term].match_expressions, i);
  // A term without requirements selects no node, so the affinity is removed with its last term.
  if ((*terms)[term] == api::NodeSelectorTerm{}) terms.reset();
}

// Removes one requirement of one term; terms are ORed.
bool each_node_affinity(const Trials& trials, const SeeRemedy& see) {
  const auto& required = trials.pod().node_affinity.required;
  if (!required) return true;
  for (std::size_t i = 0; i < required->size(); ++i) {
    const auto& expressions = (*required)[i].match_expressions;
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      const bool more = see({.type = "WithoutNodeAffinity",
                             .fields = {{"term", i}, {"key", expressions[j].key}},
                             .message = fmt::format("no required node affinity for {}", expressions[j].key),
                             .change_pod = [i, j](api::Pod& pod) { drop_requirement(pod, i, j); }});
      if (!more) return false;
    }
  }
  return true;
}

bool each_pod_affinity(const Trials& trials, api::PodAffinity api::Pod::* which, const char* type,
                       const char* words, const SeeRemedy& see) {
  const auto& terms = (trials.pod().*which).required;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool more = see({.type = type,
                           .fields = {{"term", i}, {"topologyKey", terms[i].topology_key}},
                           .message = fmt::format("no required pod {} over {}", words, terms[i].topology_key),
                           .change_pod = [which, i](api::Pod& pod) { erase_at((pod.*which).required, i); }});
    if (!more) return false;
  }
  return true;
}

// Nodes whose taints the pod does not tolerate no longer count as empty domains. The constraint itself stays.
bool each_spreading_with_taints(const Trials& trials, const SeeRemedy& see) {
  const auto& constraints = trials.pod().topology_spread;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].do_not_schedule || constraints[i].honor_node_taints) continue;
    const bool more =
        see({.type = "SpreadHonorTaints",
             .fields = {{"constraint", i}, {"topologyKey", constraints[i].topology_key}},
             .message = fmt::format("nodeTaintsPolicy: Honor for the spreading over {}",
                                    constraints[i].topology_key),
             .change_pod = [i](api::Pod& pod) { pod.topology_spread[i].honor_node_taints = true; }});
    if (!more) return false;
  }
  return true;
}

bool each_spreading(const Trials& trials, const SeeRemedy& see) {
  const auto& constraints = trials.pod().topology_spread;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].do_not_schedule) continue;
    // ScheduleAnyway, not absent: without any constraint, the profile's defaults would apply.
    const bool more =
        see({.type = "SpreadScheduleAnyway",
             .fields = {{"constraint", i}, {"topologyKey", constraints[i].topology_key}},
             .message = fmt::format("whenUnsatisfiable: ScheduleAnyway for the spreading over {}",
                                    constraints[i].topology_key),
             .change_pod = [i](api::Pod& pod) { pod.topology_spread[i].do_not_schedule = false; }});
    if (!more) return false;
  }
  return true;
}

}  // namespace

void each_constraint(const Trials& trials, bool hidden, const SeeRemedy& see) {
  const auto rejects = [&](std::string_view plugin) { return hidden || trials.rejected_by(plugin); };
  if (rejects("TaintToleration") && !each_toleration(trials, hidden, see)) return;
  // If PreFilter of NodeAffinity names nodes, its verdict has no plugin.
  if (rejects("NodeAffinity") || rejects("")) {
    if (!each_selector_key(trials, see) || !each_node_affinity(trials, see)) return;
  }
  if (rejects("InterPodAffinity")) {
    if (!each_pod_affinity(trials, &api::Pod::pod_affinity, "WithoutPodAffinity", "affinity", see)) return;
    if (!each_pod_affinity(trials, &api::Pod::pod_anti_affinity, "WithoutPodAntiAffinity", "anti-affinity",
                           see))
      return;
  }
  if (rejects("PodTopologySpread") && each_spreading_with_taints(trials, see)) each_spreading(trials, see);
}

void add_constraint_fixes(const Trials& trials, Fixes& out) {
  each_constraint(trials, false, [&](Remedy remedy) {
    if (const auto landing = trials.with({&remedy})) out.add(std::move(remedy), *landing);
    return !out.full() && trials.has_time();
  });
}

}  // namespace podium::explain
