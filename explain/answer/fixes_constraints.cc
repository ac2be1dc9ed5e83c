#include <fmt/format.h>

#include <algorithm>

#include "explain/answer/fix_kinds.h"
#include "explain/question/change.h"

namespace podium::explain {
namespace {

constexpr std::size_t kMostTaints = 16;

bool keeps_away(const api::Taint& taint, const api::Pod& pod) {
  return (taint.effect == api::TaintEffect::no_schedule || taint.effect == api::TaintEffect::no_execute) &&
         std::ranges::none_of(pod.tolerations, [&](const auto& each) { return each.tolerates(taint); });
}

// The untolerated taints of nodes that were rejected for them, each once, in the order of the nodes.
std::vector<api::Taint> untolerated(const Trials& trials) {
  std::vector<api::Taint> taints;
  for (const auto row : trials.rejected()) {
    if (!trials.has_time()) return taints;
    if (trials.verdict(row).plugin != "TaintToleration") continue;
    for (const auto& taint : trials.question().fork.entry(row).node->taints) {
      if (taints.size() == kMostTaints) return taints;
      if (keeps_away(taint, trials.pod()) && std::ranges::find(taints, taint) == taints.end())
        taints.push_back(taint);
    }
  }
  return taints;
}

void try_tolerations(const Trials& trials, Fixes& out) {
  for (const auto& taint : untolerated(trials)) {
    const auto landing = trials.with_pod([&](api::Pod& pod) {
      pod.tolerations.push_back(
          {.key = taint.key, .value = taint.value, .op = api::Toleration::Op::equal, .effect = taint.effect});
    });
    if (!landing) continue;
    const auto text = fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                                  to_string(taint.effect));
    out.add(
        "TolerateTaint",
        {{"taint",
          {{"key", taint.key}, {"value", taint.value}, {"effect", std::string(to_string(taint.effect))}}}},
        "tolerate the taint " + text, *landing);
  }
}

void try_node_selector(const Trials& trials, Fixes& out) {
  for (const auto& [key, value] : trials.pod().node_selector) {
    if (out.full()) return;
    const auto landing = trials.with_pod([&key](api::Pod& pod) {
      std::vector<api::Labels::Entry> left(pod.node_selector.begin(), pod.node_selector.end());
      std::erase_if(left, [&](const auto& each) { return each.first == key; });
      pod.node_selector = api::Labels(std::move(left));
    });
    if (landing)
      out.add("WithoutNodeSelector", {{"key", key}}, fmt::format("no nodeSelector {}={}", key, value),
              *landing);
  }
}

// Tries the pod without one requirement of one term; terms are ORed.
void try_node_affinity(const Trials& trials, Fixes& out) {
  const auto& required = trials.pod().node_affinity.required;
  if (!required) return;
  for (std::size_t i = 0; i < required->size(); ++i) {
    const auto& expressions = (*required)[i].match_expressions;
    for (std::size_t j = 0; j < expressions.size() && !out.full(); ++j) {
      const auto landing = trials.with_pod([i, j](api::Pod& pod) {
        auto& term = (*pod.node_affinity.required)[i];
        term.match_expressions.erase(term.match_expressions.begin() + static_cast<std::ptrdiff_t>(j));
        // A term without requirements selects no node, so the affinity goes with its last one.
        if (term == api::NodeSelectorTerm{}) pod.node_affinity.required.reset();
      });
      if (landing)
        out.add("WithoutNodeAffinity", {{"term", i}, {"key", expressions[j].key}},
                fmt::format("no required node affinity for {}", expressions[j].key), *landing);
    }
  }
}

void try_pod_affinity(const Trials& trials, api::PodAffinity api::Pod::* which, const char* type,
                      const char* words, Fixes& out) {
  const auto& terms = (trials.pod().*which).required;
  for (std::size_t i = 0; i < terms.size() && !out.full(); ++i) {
    const auto landing = trials.with_pod([which, i](api::Pod& pod) {
      auto& left = (pod.*which).required;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    });
    if (landing)
      out.add(type, {{"term", i}, {"topologyKey", terms[i].topology_key}},
              fmt::format("no required pod {} over {}", words, terms[i].topology_key), *landing);
  }
}

void try_spreading(const Trials& trials, Fixes& out) {
  const auto& constraints = trials.pod().topology_spread;
  for (std::size_t i = 0; i < constraints.size() && !out.full(); ++i) {
    if (!constraints[i].do_not_schedule) continue;
    // ScheduleAnyway, not absent: without any constraint, the profile's defaults would apply.
    const auto landing =
        trials.with_pod([i](api::Pod& pod) { pod.topology_spread[i].do_not_schedule = false; });
    if (landing)
      out.add("SpreadScheduleAnyway", {{"constraint", i}, {"topologyKey", constraints[i].topology_key}},
              fmt::format("whenUnsatisfiable: ScheduleAnyway for the spreading over {}",
                          constraints[i].topology_key),
              *landing);
  }
}

}  // namespace

void add_constraint_fixes(const Trials& trials, Fixes& out) {
  if (trials.rejected_by("TaintToleration")) try_tolerations(trials, out);
  // PreFilter of NodeAffinity names nodes, and its verdict has no plugin then.
  if (trials.rejected_by("NodeAffinity") || trials.rejected_by("")) {
    try_node_selector(trials, out);
    try_node_affinity(trials, out);
  }
  if (trials.rejected_by("InterPodAffinity")) {
    try_pod_affinity(trials, &api::Pod::pod_affinity, "WithoutPodAffinity", "affinity", out);
    try_pod_affinity(trials, &api::Pod::pod_anti_affinity, "WithoutPodAntiAffinity", "anti-affinity", out);
  }
  if (trials.rejected_by("PodTopologySpread")) try_spreading(trials, out);
}

}  // namespace podium::explain
