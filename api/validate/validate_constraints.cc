#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "api/validate/validate.h"
#include "api/validate/validate_names.h"
#include "api/values/pod.h"

namespace podium::api {
namespace {

using detail::FieldFindings;
using detail::item;

// --- selectors and affinity ---

void check_values(const Requirement& requirement, const std::string& path, FieldFindings& findings) {
  using Op = Requirement::Op;
  switch (requirement.op) {
    case Op::in:
    case Op::not_in:
      if (requirement.values.empty()) {
        findings.required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
      }
      break;
    case Op::exists:
    case Op::does_not_exist:
      if (!requirement.values.empty()) {
        findings.forbidden(path + ".values",
                           "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    case Op::gt:
    case Op::lt:
      if (requirement.values.size() != 1) {
        findings.required(path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    case Op::unknown:
      findings.unsupported(path + ".operator", "not a valid selector operator");
      break;
  }
}

void check_label_values(const Requirement& requirement, const std::string& path, FieldFindings& findings) {
  for (std::size_t i = 0; i < requirement.values.size(); ++i)
    detail::check_label_value(requirement.values[i], item(path + ".values", i), findings);
}

void check_selector(const LabelSelector& selector, const std::string& path, FieldFindings& findings) {
  detail::check_labels(selector.match_labels, path + ".matchLabels", findings);
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    const auto at = item(path + ".matchExpressions", i);
    detail::check_label_key(selector.match_expressions[i].key, at + ".key", findings);
    check_values(selector.match_expressions[i], at, findings);
    check_label_values(selector.match_expressions[i], at, findings);
  }
}

void check_node_field(const Requirement& requirement, const std::string& path, FieldFindings& findings) {
  const bool set = requirement.op == Requirement::Op::in || requirement.op == Requirement::Op::not_in;
  if (!set) {
    findings.unsupported(path + ".operator", "not a valid selector operator");
  } else if (requirement.values.size() != 1) {
    findings.required(path + ".values",
                      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement.key != "metadata.name")
    return findings.bad(path + ".key", requirement.key, "not a valid field selector key");
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    if (!is_dns_subdomain(requirement.values[i]))
      findings.bad(item(path + ".values", i), requirement.values[i],
                   "must be a lowercase RFC 1123 subdomain");
  }
}

// A preferred term may have values that no label has.
void check_node_term(const NodeSelectorTerm& term, bool is_required, const std::string& path,
                     FieldFindings& findings) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const auto at = item(path + ".matchExpressions", i);
    detail::check_label_key(term.match_expressions[i].key, at + ".key", findings);
    check_values(term.match_expressions[i], at, findings);
    if (is_required) check_label_values(term.match_expressions[i], at, findings);
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    check_node_field(term.match_fields[i], item(path + ".matchFields", i), findings);
  }
}

void check_weight(std::int32_t weight, const std::string& path, FieldFindings& findings) {
  if (weight < 1 || weight > 100) findings.bad(path, std::to_string(weight), "must be in the range 1-100");
}

constexpr std::string_view kRequired = ".requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = ".preferredDuringSchedulingIgnoredDuringExecution";

void check_node_affinity(const NodeAffinity& affinity, FieldFindings& findings) {
  const std::string path = "spec.affinity.nodeAffinity";
  if (affinity.required) {
    const auto terms = path + std::string(kRequired) + ".nodeSelectorTerms";
    if (affinity.required->empty()) findings.required(terms, "must have at least one node selector term");
    for (std::size_t i = 0; i < affinity.required->size(); ++i) {
      check_node_term((*affinity.required)[i], true, item(terms, i), findings);
    }
  }
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const auto at = item(path + std::string(kPreferred), i);
    check_weight(affinity.preferred[i].weight, at + ".weight", findings);
    check_node_term(affinity.preferred[i].preference, false, at + ".preference", findings);
  }
}

void check_topology_key(std::string_view key, const std::string& path, FieldFindings& findings) {
  if (key.empty()) return findings.required(path, "can not be empty");
  detail::check_label_key(key, path, findings);
}

void check_label_keys(const std::optional<LabelSelector>& selector, const std::vector<std::string>& keys,
                      const std::string& path, FieldFindings& findings) {
  if (keys.empty()) return;
  if (!selector) return findings.forbidden(path, "must not be specified when labelSelector is not set");
  for (std::size_t i = 0; i < keys.size(); ++i) detail::check_label_key(keys[i], item(path, i), findings);
}

// The selector already includes the keys as requirements. A key that appears twice was set by the author too.
void check_merged_keys(const std::optional<LabelSelector>& selector, const std::vector<std::string>& keys,
                       const std::string& path, FieldFindings& findings) {
  if (!selector || keys.empty()) return;
  std::set<std::string_view> known;
  for (const auto& label : selector->match_labels) known.insert(label.first);
  for (const auto& requirement : selector->match_expressions) {
    const auto found = std::ranges::find(keys, requirement.key);
    if (!known.insert(requirement.key).second && found != keys.end())
      findings.bad(item(path, static_cast<std::size_t>(found - keys.begin())), requirement.key,
                   "exists in both matchLabelKeys and labelSelector");
  }
}

void check_pod_term(const PodAffinityTerm& term, const std::string& path, FieldFindings& findings) {
  if (term.label_selector) check_selector(*term.label_selector, path + ".labelSelector", findings);
  if (term.namespace_selector)
    check_selector(*term.namespace_selector, path + ".namespaceSelector", findings);
  for (std::size_t i = 0; i < term.namespaces.size(); ++i) {
    if (is_dns_label(term.namespaces[i])) continue;
    findings.bad(item(path + ".namespaces", i), term.namespaces[i], "must be a lowercase RFC 1123 label");
  }
  check_label_keys(term.label_selector, term.match_label_keys, path + ".matchLabelKeys", findings);
  check_label_keys(term.label_selector, term.mismatch_label_keys, path + ".mismatchLabelKeys", findings);
  check_merged_keys(term.label_selector, term.match_label_keys, path + ".matchLabelKeys", findings);
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i) {
    if (std::ranges::find(term.mismatch_label_keys, term.match_label_keys[i]) !=
        term.mismatch_label_keys.end())
      findings.bad(item(path + ".matchLabelKeys", i), term.match_label_keys[i],
                   "exists in both matchLabelKeys and mismatchLabelKeys");
  }
  check_topology_key(term.topology_key, path + ".topologyKey", findings);
}

void check_pod_affinity(const PodAffinity& affinity, const std::string& path, FieldFindings& findings) {
  for (std::size_t i = 0; i < affinity.required.size(); ++i) {
    check_pod_term(affinity.required[i], item(path + std::string(kRequired), i), findings);
  }
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const auto at = item(path + std::string(kPreferred), i);
    check_weight(affinity.preferred[i].weight, at + ".weight", findings);
    check_pod_term(affinity.preferred[i].term, at + ".podAffinityTerm", findings);
  }
}

// --- spread constraints, tolerations and gates ---

void check_spread(const std::vector<TopologySpreadConstraint>& constraints, FieldFindings& findings) {
  std::map<std::pair<std::string_view, bool>, std::size_t> last;  // constraint of these
  for (std::size_t i = 0; i < constraints.size(); ++i)
    last[{constraints[i].topology_key, constraints[i].do_not_schedule}] = i;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const auto& constraint = constraints[i];
    const auto path = item("spec.topologySpreadConstraints", i);
    if (constraint.max_skew <= 0) {
      findings.bad(path + ".maxSkew", std::to_string(constraint.max_skew), "must be greater than zero");
    }
    check_topology_key(constraint.topology_key, path + ".topologyKey", findings);
    if (!constraint.known_constraint) {
      findings.unsupported(path + ".whenUnsatisfiable", "must be DoNotSchedule or ScheduleAnyway");
    }
    check_label_keys(constraint.label_selector, constraint.match_label_keys, path + ".matchLabelKeys",
                     findings);
    check_merged_keys(constraint.label_selector, constraint.match_label_keys, path + ".matchLabelKeys",
                      findings);
    if (constraint.min_domains && *constraint.min_domains <= 0) {
      findings.bad(path + ".minDomains", std::to_string(*constraint.min_domains), "must be greater than 0");
    }
    if (constraint.min_domains && !constraint.do_not_schedule) {
      findings.bad(path + ".minDomains", std::to_string(*constraint.min_domains),
                   "can only use minDomains if whenUnsatisfiable=DoNotSchedule");
    }
    if (constraint.label_selector)
      check_selector(*constraint.label_selector, path + ".labelSelector", findings);
    if (last[{constraint.topology_key, constraint.do_not_schedule}] > i)
      findings.duplicate(path + ".{topologyKey, whenUnsatisfiable}", constraint.topology_key);
  }
}

void check_tolerations(const std::vector<Toleration>& tolerations, FieldFindings& findings) {
  using Op = Toleration::Op;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const auto& toleration = tolerations[i];
    const auto path = item("spec.tolerations", i);
    if (!toleration.key.empty()) detail::check_label_key(toleration.key, path + ".key", findings);
    if (toleration.key.empty() && toleration.op != Op::exists) {
      findings.bad(path + ".operator", "", "operator must be Exists when `key` is empty");
    }
    if (toleration.op == Op::equal) detail::check_label_value(toleration.value, path + ".operator", findings);
    if (toleration.op == Op::exists && !toleration.value.empty()) {
      findings.bad(path + ".operator", toleration.value, "value must be empty when `operator` is 'Exists'");
    }
    // The API server accepts Lt and Gt only with TaintTolerationComparisonOperators, which is off by default.
    if (toleration.op >= Op::lt) findings.unsupported(path + ".operator", "must be Equal or Exists");
    if (toleration.effect == TaintEffect::unknown) {
      findings.unsupported(path + ".effect", "must be NoSchedule, PreferNoSchedule or NoExecute");
    }
  }
}

void check_gates(const Pod& pod, FieldFindings& findings) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < pod.scheduling_gates.size(); ++i) {
    const auto path = item("spec.schedulingGates", i);
    detail::check_label_key(pod.scheduling_gates[i], path, findings);
    if (!seen.insert(pod.scheduling_gates[i]).second) findings.duplicate(path, pod.scheduling_gates[i]);
  }
  if (!pod.node_name.empty() && !pod.scheduling_gates.empty()) {
    findings.forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
  }
}

}  // namespace

namespace detail {

void check_constraints(const Pod& pod, FieldFindings& findings) {
  check_labels(pod.node_selector, "spec.nodeSelector", findings);
  check_node_affinity(pod.node_affinity, findings);
  check_pod_affinity(pod.pod_affinity, "spec.affinity.podAffinity", findings);
  check_pod_affinity(pod.pod_anti_affinity, "spec.affinity.podAntiAffinity", findings);
  check_gates(pod, findings);
  check_spread(pod.topology_spread, findings);
  check_tolerations(pod.tolerations, findings);
}

}  // namespace detail
}  // namespace podium::api
