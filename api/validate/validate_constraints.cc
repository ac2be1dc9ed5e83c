#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "api/validate/name_forms.h"
#include "api/validate/validate.h"
#include "api/validate/validate_names.h"
#include "api/values/pod.h"

namespace podium::api {
namespace {

using detail::item;

// --- selectors and affinity ---

void check_values(const Requirement& requirement, const std::string& path, Problems& problems) {
  using Op = Requirement::Op;
  switch (requirement.op) {
    case Op::in:
    case Op::not_in:
      if (requirement.values.empty()) {
        problems.required(path + ".values", kValuesRequiredError);
      }
      break;
    case Op::exists:
    case Op::does_not_exist:
      if (!requirement.values.empty()) {
        problems.forbidden(path + ".values", kValuesForbiddenError);
      }
      break;
    case Op::gt:
    case Op::lt:
      if (requirement.values.size() != 1) {
        problems.required(path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    case Op::unknown:
      problems.not_supported(path + ".operator", "not a valid selector operator");
      break;
  }
}

void check_label_values(const Requirement& requirement, const std::string& path, Problems& problems) {
  for (std::size_t i = 0; i < requirement.values.size(); ++i)
    detail::check_label_value(requirement.values[i], item(path + ".values", i), problems);
}

void check_selector(const LabelSelector& selector, const std::string& path, Problems& problems) {
  detail::check_labels(selector.match_labels, path + ".matchLabels", problems);
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    const auto at = item(path + ".matchExpressions", i);
    detail::check_label_key(selector.match_expressions[i].key, at + ".key", problems);
    check_values(selector.match_expressions[i], at, problems);
    check_label_values(selector.match_expressions[i], at, problems);
  }
}

void check_node_field(const Requirement& requirement, const std::string& path, Problems& problems) {
  const bool set = requirement.op == Requirement::Op::in || requirement.op == Requirement::Op::not_in;
  if (!set) {
    problems.not_supported(path + ".operator", "not a valid selector operator");
  } else if (requirement.values.size() != 1) {
    problems.required(path + ".values",
                      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement.key != "metadata.name")
    return problems.invalid(path + ".key", requirement.key, "not a valid field selector key");
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    if (!is_dns_subdomain(requirement.values[i]))
      problems.invalid(item(path + ".values", i), requirement.values[i], kSubdomainError);
  }
}

// A preferred term may have values that no label has.
void check_node_term(const NodeSelectorTerm& term, bool is_required, const std::string& path,
                     Problems& problems) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const auto at = item(path + ".matchExpressions", i);
    detail::check_label_key(term.match_expressions[i].key, at + ".key", problems);
    check_values(term.match_expressions[i], at, problems);
    if (is_required) check_label_values(term.match_expressions[i], at, problems);
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    check_node_field(term.match_fields[i], item(path + ".matchFields", i), problems);
  }
}

void check_weight(std::int32_t weight, const std::string& path, Problems& problems) {
  if (weight < 1 || weight > 100)
    problems.invalid(path, std::to_string(weight), "must be in the range 1-100");
}

constexpr std::string_view kRequired = ".requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = ".preferredDuringSchedulingIgnoredDuringExecution";

void check_node_affinity(const NodeAffinity& affinity, Problems& problems) {
  const std::string path = "spec.affinity.nodeAffinity";
  if (affinity.required) {
    const auto terms = path + std::string(kRequired) + ".nodeSelectorTerms";
    if (affinity.required->empty()) problems.required(terms, "must have at least one node selector term");
    for (std::size_t i = 0; i < affinity.required->size(); ++i) {
      check_node_term((*affinity.required)[i], true, item(terms, i), problems);
    }
  }
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const auto at = item(path + std::string(kPreferred), i);
    check_weight(affinity.preferred[i].weight, at + ".weight", problems);
    check_node_term(affinity.preferred[i].preference, false, at + ".preference", problems);
  }
}

void check_topology_key(std::string_view key, const std::string& path, Problems& problems) {
  if (key.empty()) return problems.required(path, "can not be empty");
  detail::check_label_key(key, path, problems);
}

void check_label_keys(const std::optional<LabelSelector>& selector, const std::vector<std::string>& keys,
                      const std::string& path, Problems& problems) {
  if (keys.empty()) return;
  if (!selector) return problems.forbidden(path, "must not be specified when labelSelector is not set");
  for (std::size_t i = 0; i < keys.size(); ++i) detail::check_label_key(keys[i], item(path, i), problems);
}

// The selector already includes the keys as requirements. A key that appears twice was set by the author too.
void check_merged_keys(const std::optional<LabelSelector>& selector, const std::vector<std::string>& keys,
                       const std::string& path, Problems& problems) {
  if (!selector || keys.empty()) return;
  std::set<std::string_view> known;
  for (const auto& label : selector->match_labels) known.insert(label.first);
  for (const auto& requirement : selector->match_expressions) {
    const auto found = std::ranges::find(keys, requirement.key);
    if (!known.insert(requirement.key).second && found != keys.end())
      problems.invalid(item(path, static_cast<std::size_t>(found - keys.begin())), requirement.key,
                       "exists in both matchLabelKeys and labelSelector");
  }
}

void check_pod_term(const PodAffinityTerm& term, const std::string& path, Problems& problems) {
  if (term.label_selector) check_selector(*term.label_selector, path + ".labelSelector", problems);
  if (term.namespace_selector)
    check_selector(*term.namespace_selector, path + ".namespaceSelector", problems);
  for (std::size_t i = 0; i < term.namespaces.size(); ++i) {
    if (is_dns_label(term.namespaces[i])) continue;
    problems.invalid(item(path + ".namespaces", i), term.namespaces[i], kDnsLabelError);
  }
  check_label_keys(term.label_selector, term.match_label_keys, path + ".matchLabelKeys", problems);
  check_label_keys(term.label_selector, term.mismatch_label_keys, path + ".mismatchLabelKeys", problems);
  check_merged_keys(term.label_selector, term.match_label_keys, path + ".matchLabelKeys", problems);
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i) {
    if (std::ranges::find(term.mismatch_label_keys, term.match_label_keys[i]) !=
        term.mismatch_label_keys.end())
      problems.invalid(item(path + ".matchLabelKeys", i), term.match_label_keys[i],
                       "exists in both matchLabelKeys and mismatchLabelKeys");
  }
  check_topology_key(term.topology_key, path + ".topologyKey", problems);
}

void check_pod_affinity(const PodAffinity& affinity, const std::string& path, Problems& problems) {
  for (std::size_t i = 0; i < affinity.required.size(); ++i) {
    check_pod_term(affinity.required[i], item(path + std::string(kRequired), i), problems);
  }
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const auto at = item(path + std::string(kPreferred), i);
    check_weight(affinity.preferred[i].weight, at + ".weight", problems);
    check_pod_term(affinity.preferred[i].term, at + ".podAffinityTerm", problems);
  }
}

// --- spread constraints, tolerations and gates ---

void check_spread(const std::vector<TopologySpreadConstraint>& constraints, Problems& problems) {
  std::map<std::pair<std::string_view, bool>, std::size_t> last;  // constraint of these
  for (std::size_t i = 0; i < constraints.size(); ++i)
    last[{constraints[i].topology_key, constraints[i].do_not_schedule}] = i;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const auto& constraint = constraints[i];
    const auto path = item("spec.topologySpreadConstraints", i);
    if (constraint.max_skew <= 0) {
      problems.invalid(path + ".maxSkew", std::to_string(constraint.max_skew), kNotPositiveError);
    }
    check_topology_key(constraint.topology_key, path + ".topologyKey", problems);
    if (!constraint.known_constraint) {
      problems.not_supported(path + ".whenUnsatisfiable", "must be DoNotSchedule or ScheduleAnyway");
    }
    check_label_keys(constraint.label_selector, constraint.match_label_keys, path + ".matchLabelKeys",
                     problems);
    check_merged_keys(constraint.label_selector, constraint.match_label_keys, path + ".matchLabelKeys",
                      problems);
    if (constraint.min_domains && *constraint.min_domains <= 0) {
      problems.invalid(path + ".minDomains", std::to_string(*constraint.min_domains),
                       "must be greater than 0");
    }
    if (constraint.min_domains && !constraint.do_not_schedule) {
      problems.invalid(path + ".minDomains", std::to_string(*constraint.min_domains),
                       "can only use minDomains if whenUnsatisfiable=DoNotSchedule");
    }
    if (constraint.label_selector)
      check_selector(*constraint.label_selector, path + ".labelSelector", problems);
    if (last[{constraint.topology_key, constraint.do_not_schedule}] > i)
      problems.duplicate(path + ".{topologyKey, whenUnsatisfiable}", constraint.topology_key);
  }
}

void check_tolerations(const std::vector<Toleration>& tolerations, Problems& problems) {
  using Op = Toleration::Op;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const auto& toleration = tolerations[i];
    const auto path = item("spec.tolerations", i);
    if (!toleration.key.empty()) detail::check_label_key(toleration.key, path + ".key", problems);
    if (toleration.key.empty() && toleration.op != Op::exists) {
      problems.invalid(path + ".operator", "", "operator must be Exists when `key` is empty");
    }
    if (toleration.op == Op::equal) detail::check_label_value(toleration.value, path + ".operator", problems);
    if (toleration.op == Op::exists && !toleration.value.empty()) {
      problems.invalid(path + ".operator", toleration.value,
                       "value must be empty when `operator` is 'Exists'");
    }
    // The API server accepts Lt and Gt only with TaintTolerationComparisonOperators, which is off by default.
    if (toleration.op >= Op::lt) problems.not_supported(path + ".operator", "must be Equal or Exists");
    if (toleration.effect == TaintEffect::unknown) {
      problems.not_supported(path + ".effect", kTaintEffectError);
    }
  }
}

void check_gates(const Pod& pod, Problems& problems) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < pod.scheduling_gates.size(); ++i) {
    const auto path = item("spec.schedulingGates", i);
    detail::check_label_key(pod.scheduling_gates[i], path, problems);
    if (!seen.insert(pod.scheduling_gates[i]).second) problems.duplicate(path, pod.scheduling_gates[i]);
  }
  if (!pod.node_name.empty() && !pod.scheduling_gates.empty()) {
    problems.forbidden("spec.nodeName", kGatedNodeError);
  }
}

}  // namespace

namespace detail {

void check_constraints(const Pod& pod, Problems& problems) {
  check_labels(pod.node_selector, "spec.nodeSelector", problems);
  check_node_affinity(pod.node_affinity, problems);
  check_pod_affinity(pod.pod_affinity, "spec.affinity.podAffinity", problems);
  check_pod_affinity(pod.pod_anti_affinity, "spec.affinity.podAntiAffinity", problems);
  check_gates(pod, problems);
  check_spread(pod.topology_spread, problems);
  check_tolerations(pod.tolerations, problems);
}

}  // namespace detail
}  // namespace podium::api
