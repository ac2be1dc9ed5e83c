#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/values/tolerations.h"
#include "explain/answer/fix_kinds.h"
#include "explain/question/change.h"
#include "explain/report/state_taints.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/unmet.h"

namespace podium::explain {
namespace {

constexpr std::size_t kMostTaints = 16;

// The untolerated taints of nodes that were rejected for them, each once, in the order of the nodes. Without
// those that describe a node's state. `hidden`: of all rejected nodes.
std::vector<api::Taint> untolerated(const Trials& trials, bool hidden) {
  const api::Tolerations tolerations(trials.pod().tolerations, false);
  std::vector<api::Taint> taints;
  for (const auto row : trials.rejected()) {
    if (!trials.has_time()) return taints;
    if (!hidden && trials.verdict(row).plugin != framework::names::kTaintToleration) continue;
    for (const auto& taint : trials.question().fork.entry(row).node->taints) {
      if (taints.size() == kMostTaints) return taints;
      if (is_of_state(taint)) continue;
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

// Whether a key of the nodeSelector would be there again with a changed manifest: that of the pod's
// RuntimeClass. A question about a pod as the API server would store it has such a key in its template.
bool is_of_runtime_class(const Trials& trials, const std::string& key) {
  const auto& question = trials.question();
  if (!question.replicas.subject.pod.node_selector.find(key)) return true;
  const auto found = question.runtime_classes.find(trials.pod().runtime_class);
  return found != question.runtime_classes.end() && found->second &&
         found->second->node_selector.find(key) != nullptr;
}

using Rename = std::function<void(api::Pod&, const std::string& to)>;

// Keys of one list that no node has, which may be mistyped, and the similar ones that nodes have.
struct Renaming {
  // Each is compared with the keys of all nodes. A pod with more of them has other problems than a typo.
  static constexpr std::size_t kMostMissing = 16;

  // `is_taken`: whether a key would be there twice then, which the API server refuses.
  bool each_similar(const std::string& key, const Rename& rename,
                    const std::function<bool(const std::string&)>& is_taken = {}) {
    const auto& fork = trials.question().fork;
    if (fork.labels().find(key) || ++missing > kMostMissing) return true;
    for (const auto& near : plugins::similar_labels(key, fork)) {
      if (is_taken && is_taken(near)) continue;
      const bool more = see({.type = "RenameKey",
                             .fields = {{"key", key}, {"to", near}},
                             .message = fmt::format("{} {}, not {}, {}", what, near, key, where),
                             .change_pod = [rename, near](api::Pod& pod) { rename(pod, near); }});
      if (!more) return false;
    }
    return true;
  }

  const Trials& trials;
  const SeeRemedy& see;
  std::string_view what, where;
  std::size_t missing = 0;
};

bool each_similar_selector_key(const Trials& trials, const SeeRemedy& see) {
  Renaming renaming{trials, see, "key", "in the nodeSelector"};
  for (const auto& [key, value] : trials.pod().node_selector) {
    if (is_of_runtime_class(trials, key)) continue;
    const auto rename = [key, value](api::Pod& pod, const std::string& to) {
      std::vector<api::Labels::Entry> kept(pod.node_selector.begin(), pod.node_selector.end());
      std::erase_if(kept, [&](const auto& each) { return each.first == key; });
      kept.emplace_back(to, value);
      pod.node_selector = api::Labels(std::move(kept));
    };
    const auto is_taken = [&](const std::string& to) {
      return trials.pod().node_selector.find(to) != nullptr;
    };
    if (!renaming.each_similar(key, rename, is_taken)) return false;
  }
  return true;
}

bool each_similar_affinity_key(const Trials& trials, const SeeRemedy& see) {
  const auto& required = trials.pod().node_affinity.required;
  if (!required) return true;
  Renaming renaming{trials, see, "key", "in the required node affinity"};
  std::set<std::string> seen;
  for (const auto& term : *required) {
    for (const auto& requirement : term.match_expressions) {
      using enum api::Requirement::Op;
      const auto& key = requirement.key;
      const bool needs_label = requirement.op != not_in && requirement.op != does_not_exist;
      if (!needs_label || !seen.insert(key).second) continue;
      const auto rename = [key](api::Pod& pod, const std::string& to) {
        if (!pod.node_affinity.required) return;
        for (auto& each : pod.node_affinity.required->write()) {
          for (auto& renamed : each.match_expressions) {
            if (renamed.key == key) renamed.key = to;
          }
        }
      };
      if (!renaming.each_similar(key, rename)) return false;
    }
  }
  return true;
}

bool each_similar_affinity_topology(const Trials& trials, const SeeRemedy& see) {
  const auto& terms = trials.pod().pod_affinity.required;
  Renaming renaming{trials, see, "topologyKey", "for the required pod affinity"};
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto rename = [i](api::Pod& pod, const std::string& to) {
      if (i < pod.pod_affinity.required.size()) pod.pod_affinity.required.write()[i].topology_key = to;
    };
    if (!renaming.each_similar(terms[i].topology_key, rename)) return false;
  }
  return true;
}

bool each_similar_spread_topology(const Trials& trials, const SeeRemedy& see) {
  const auto& constraints = trials.pod().topology_spread;
  Renaming renaming{trials, see, "topologyKey", "for the spreading"};
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].do_not_schedule) continue;
    const auto rename = [i](api::Pod& pod, const std::string& to) {
      pod.topology_spread.write()[i].topology_key = to;
    };
    const auto is_taken = [&](const std::string& to) {
      return std::ranges::any_of(
          constraints, [&](const auto& each) { return each.do_not_schedule && each.topology_key == to; });
    };
    if (!renaming.each_similar(constraints[i].topology_key, rename, is_taken)) return false;
  }
  return true;
}

bool each_selector_key(const Trials& trials, const SeeRemedy& see) {
  for (const auto& [key, value] : trials.pod().node_selector) {
    if (is_of_runtime_class(trials, key)) continue;
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

// A term without requirements selects no node, so the affinity is removed with its only term.
void drop_requirement(api::Pod& pod, std::size_t term, std::size_t i) {
  auto& terms = pod.node_affinity.required;
  if (!terms || term >= terms->size()) return;
  erase_at(terms->write()[term].match_expressions, i);
  if (terms->size() == 1 && terms->front() == api::NodeSelectorTerm{}) terms.reset();
}

std::size_t count_of_key(const std::vector<api::NodeSelectorTerm>& terms, const std::string& key) {
  std::ptrdiff_t count = 0;
  for (const auto& term : terms)
    count += std::ranges::count(term.match_expressions, key, &api::Requirement::key);
  return static_cast<std::size_t>(count);
}

// Removes one requirement of one term. Terms are ORed: without its only requirement a term selects no node,
// and the others remain, so all of them are removed instead.
bool each_node_affinity(const Trials& trials, const SeeRemedy& see) {
  const auto& required = trials.pod().node_affinity.required;
  if (!required) return true;
  bool needs_whole = false;
  for (std::size_t i = 0; i < required->size(); ++i) {
    const auto& [expressions, fields] = (*required)[i];
    // An empty term selects no node.
    const std::size_t least = required->size() > 1 ? 2 : 1;
    if (expressions.size() < least && fields.empty()) {
      needs_whole = true;
      continue;
    }
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      const auto& key = expressions[j].key;
      const bool is_only = count_of_key(*required, key) == 1;
      const bool more =
          see({.type = "WithoutNodeAffinity",
               .fields = {{"term", i}, {"key", key}},
               .message = fmt::format("no required node affinity for {}",
                                      is_only ? key : plugins::requirement_text(expressions[j])),
               .change_pod = [i, j](api::Pod& pod) { drop_requirement(pod, i, j); }});
      if (!more) return false;
    }
  }
  return !needs_whole || see({.type = "WithoutNodeAffinity",
                              .fields = {},
                              .message = "no required node affinity",
                              .change_pod = [](api::Pod& pod) { pod.node_affinity.required.reset(); }});
}

bool each_pod_affinity(const Trials& trials, api::PodAffinity api::Pod::* which, const char* type,
                       const char* words, const SeeRemedy& see) {
  const auto& terms = (trials.pod().*which).required;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto& key = terms[i].topology_key;
    const bool is_only = std::ranges::count(terms, key, &api::PodAffinityTerm::topology_key) == 1;
    const bool more =
        see({.type = type,
             .fields = {{"term", i}, {"topologyKey", key}},
             .message = fmt::format("no required pod {} over {}{}", words, key,
                                    is_only ? "" : fmt::format(" (term {} of {})", i + 1, terms.size())),
             .change_pod = [which, i](api::Pod& pod) { erase_at((pod.*which).required.write(), i); }});
    if (!more) return false;
  }
  return true;
}

// Nodes on which the pod may not run, for their taints or for its node affinity, no longer count as empty
// domains. The constraint itself stays.
bool each_spreading_that_honors(const Trials& trials, bool api::TopologySpreadConstraint::* policy,
                                const char* type, const char* field, const SeeRemedy& see) {
  const auto& constraints = trials.pod().topology_spread;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].do_not_schedule || constraints[i].*policy) continue;
    const bool more = see(
        {.type = type,
         .fields = {{"constraint", i}, {"topologyKey", constraints[i].topology_key}},
         .message = fmt::format("{}: Honor for the spreading over {}", field, constraints[i].topology_key),
         .change_pod = [i, policy](api::Pod& pod) { pod.topology_spread.write()[i].*policy = true; }});
    if (!more) return false;
  }
  return true;
}

bool each_spreading_with_domains(const Trials& trials, const SeeRemedy& see) {
  const auto& constraints = trials.pod().topology_spread;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!constraints[i].do_not_schedule || !constraints[i].min_domains) continue;
    const bool more =
        see({.type = "SpreadWithoutMinDomains",
             .fields = {{"constraint", i}, {"topologyKey", constraints[i].topology_key}},
             .message = fmt::format("no minDomains for the spreading over {}", constraints[i].topology_key),
             .change_pod = [i](api::Pod& pod) { pod.topology_spread.write()[i].min_domains.reset(); }});
    if (!more) return false;
  }
  return true;
}

// ScheduleAnyway, not absent: without any constraint, the profile's defaults would apply. The API server
// refuses minDomains with it, and a second constraint with it for the same key: that one is removed. The
// trial keeps it, since the indexes of the other changes of a pair are those before this one.
Remedy soft_spreading(const std::vector<api::TopologySpreadConstraint>& constraints, std::size_t i) {
  const auto& key = constraints[i].topology_key;
  const bool has_soft = std::ranges::any_of(
      constraints, [&](const auto& other) { return !other.do_not_schedule && other.topology_key == key; });
  return {
      .type = "SpreadScheduleAnyway",
      .fields = {{"constraint", i}, {"topologyKey", key}},
      .message = has_soft
                     ? fmt::format("no DoNotSchedule for the spreading over {}, only its ScheduleAnyway", key)
                     : fmt::format("whenUnsatisfiable: ScheduleAnyway{} for the spreading over {}",
                                   constraints[i].min_domains ? " and no minDomains" : "", key),
      .change_pod = [i](api::Pod& pod) {
        auto& constraint = pod.topology_spread.write()[i];
        constraint.do_not_schedule = false;
        constraint.min_domains.reset();
      }};
}

bool each_spreading(const Trials& trials, const SeeRemedy& see) {
  const auto& constraints = trials.pod().topology_spread;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].do_not_schedule && !see(soft_spreading(constraints, i))) return false;
  }
  return true;
}

}  // namespace

void each_constraint(const Trials& trials, bool hidden, const SeeRemedy& see) {
  const auto rejects = [&](std::string_view plugin) { return hidden || trials.rejected_by(plugin); };
  if (rejects(framework::names::kTaintToleration) && !each_toleration(trials, hidden, see)) return;
  // If PreFilter of NodeAffinity names nodes, its verdict has no plugin.
  if (rejects(framework::names::kNodeAffinity) || rejects("")) {
    if (!each_similar_selector_key(trials, see) || !each_similar_affinity_key(trials, see) ||
        !each_selector_key(trials, see) || !each_node_affinity(trials, see))
      return;
  }
  if (rejects(framework::names::kInterPodAffinity)) {
    if (!each_similar_affinity_topology(trials, see)) return;
    if (!each_pod_affinity(trials, &api::Pod::pod_affinity, "WithoutPodAffinity", "affinity", see)) return;
    if (!each_pod_affinity(trials, &api::Pod::pod_anti_affinity, "WithoutPodAntiAffinity", "anti-affinity",
                           see))
      return;
  }
  using Constraint = api::TopologySpreadConstraint;
  if (rejects(framework::names::kPodTopologySpread) && each_similar_spread_topology(trials, see) &&
      each_spreading_that_honors(trials, &Constraint::honor_node_taints, "SpreadHonorTaints",
                                 "nodeTaintsPolicy", see) &&
      each_spreading_that_honors(trials, &Constraint::honor_node_affinity, "SpreadHonorNodeAffinity",
                                 "nodeAffinityPolicy", see) &&
      each_spreading_with_domains(trials, see))
    each_spreading(trials, see);
}

void add_constraint_fixes(const Trials& trials, Fixes& out) {
  each_constraint(trials, false, [&](Remedy remedy) {
    if (const auto landing = trials.with({&remedy})) out.add(std::move(remedy), *landing);
    return !out.full() && trials.has_time();
  });
}

}  // namespace podium::explain
