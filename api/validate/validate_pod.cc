#include <set>

#include "api/validate/validate.h"
#include "api/validate/validate_names.h"
#include "api/values/defaults.h"

namespace podium::api {
namespace {

using detail::Findings;
using detail::item;

// --- resources ---

void check_requirements(const ResourceList& requests, const ResourceList& limits, const std::string& path,
                        Findings& findings) {
  const auto request_path = path + ".requests", limit_path = path + ".limits";
  detail::check_amounts(requests, request_path, findings);
  detail::check_amounts(limits, limit_path, findings);
  for (const auto& [name, amount] : requests) {
    const auto* limit = find_resource(limits, name);
    const bool overcommit = is_overcommit_allowed(name);
    if (!limit && !overcommit) {
      findings.required(limit_path, "Limit must be set for non overcommitable resources");
    } else if (limit && !overcommit && amount != *limit) {
      findings.bad(request_path, amount.text(), "must be equal to " + name + " limit of " + limit->text());
    } else if (limit && amount > *limit) {
      findings.bad(request_path, amount.text(),
                   "must be less than or equal to " + name + " limit of " + limit->text());
    }
  }
}

bool is_huge_page(std::string_view resource) { return resource.starts_with("hugepages-"); }

void check_container_resources(const Container& container, const std::string& path, Findings& findings) {
  bool compute = false, huge_pages = false;
  for (const auto* list : {&container.requests, &container.limits}) {
    for (const auto& entry : *list) {
      const auto& name = entry.first;
      compute |= name == "cpu" || name == "memory";
      huge_pages |= is_huge_page(name);
      if (name.find('/') != std::string::npos || name == "cpu" || name == "memory" ||
          name == "ephemeral-storage" || is_huge_page(name)) {
        continue;
      }
      findings.bad(path + (list == &container.requests ? ".requests[" : ".limits[") + name + "]", name,
                   "must be a standard resource for containers");
    }
  }
  check_requirements(container.requests, container.limits, path, findings);
  if (huge_pages && !compute) findings.forbidden(path, "HugePages require cpu or memory");
}

void check_pod_level(const Pod& pod, Findings& findings) {
  if (!pod.has_pod_level_resources) return;
  const std::string path = "spec.resources";
  check_requirements(pod.pod_requests, pod.pod_limits, path, findings);
  for (const auto* list : {&pod.pod_requests, &pod.pod_limits}) {
    for (const auto& entry : *list) {
      if (is_supported_pod_level_resource(entry.first)) continue;
      findings.unsupported(path, "\"" + entry.first + "\" cannot be set for a pod as a whole");
    }
  }
  for (const auto& [name, amount] : aggregate_containers(pod, &Container::requests)) {
    const auto* whole = find_resource(pod.pod_requests, name);
    if (!whole || amount <= *whole) continue;
    findings.bad(path + ".requests[" + name + "]", whole->text(),
                 "must be greater than or equal to aggregate container requests of " + amount.text());
  }
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    for (const auto& [name, amount] : pod.containers[i].limits) {
      const auto* whole = find_resource(pod.pod_limits, name);
      if (!whole || amount <= *whole) continue;
      findings.bad(item("spec.containers", i) + ".resources.limits[" + name + "]", amount.text(),
                   "must be less than or equal to pod limits of " + whole->text());
    }
  }
}

// --- containers ---

void check_port(const ContainerPort& port, bool host_network, const std::string& path, Findings& findings) {
  const auto in_range = [](std::int32_t number) { return number >= 1 && number <= 65535; };
  if (port.container_port == 0) {
    findings.required(path + ".containerPort");
  } else if (!in_range(port.container_port)) {
    findings.bad(path + ".containerPort", std::to_string(port.container_port), "must be between 1 and 65535");
  }
  if (port.host_port != 0 && !in_range(port.host_port)) {
    findings.bad(path + ".hostPort", std::to_string(port.host_port), "must be between 1 and 65535");
  }
  if (host_network && port.host_port != port.container_port) {
    findings.bad(path + ".hostPort", std::to_string(port.host_port),
                 "must match `containerPort` when `hostNetwork` is true");
  }
  if (port.protocol != "TCP" && port.protocol != "UDP" && port.protocol != "SCTP") {
    findings.unsupported(path + ".protocol", "must be TCP, UDP or SCTP");
  }
}

void check_containers(const Pod& pod, const std::vector<Container>& containers, const std::string& list_path,
                      std::set<std::string_view>& names, Findings& findings) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const auto& container = containers[i];
    const auto path = item(list_path, i);
    if (container.name.empty()) {
      findings.required(path + ".name");
    } else if (!is_dns_label(container.name)) {
      findings.bad(path + ".name", container.name, "must be a lowercase RFC 1123 label");
    } else if (!names.insert(container.name).second) {
      findings.duplicate(path + ".name", container.name);
    }
    if (container.image.empty()) findings.required(path + ".image");
    check_container_resources(container, path + ".resources", findings);
    for (std::size_t j = 0; j < container.ports.size(); ++j) {
      check_port(container.ports[j], pod.host_network, item(path + ".ports", j), findings);
    }
  }
}

// --- selectors and affinity ---

void check_values(const Requirement& requirement, const std::string& path, Findings& findings) {
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

void check_selector(const LabelSelector& selector, const std::string& path, Findings& findings) {
  detail::check_labels(selector.match_labels, path + ".matchLabels", findings);
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i) {
    const auto at = item(path + ".matchExpressions", i);
    detail::check_label_key(selector.match_expressions[i].key, at + ".key", findings);
    check_values(selector.match_expressions[i], at, findings);
  }
}

void check_node_field(const Requirement& requirement, const std::string& path, Findings& findings) {
  const bool set = requirement.op == Requirement::Op::in || requirement.op == Requirement::Op::not_in;
  if (!set) {
    findings.unsupported(path + ".operator", "not a valid selector operator");
  } else if (requirement.values.size() != 1) {
    findings.required(path + ".values",
                      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement.key != "metadata.name") {
    findings.bad(path + ".key", requirement.key, "not a valid field selector key");
  }
}

void check_node_term(const NodeSelectorTerm& term, const std::string& path, Findings& findings) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const auto at = item(path + ".matchExpressions", i);
    detail::check_label_key(term.match_expressions[i].key, at + ".key", findings);
    check_values(term.match_expressions[i], at, findings);
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    check_node_field(term.match_fields[i], item(path + ".matchFields", i), findings);
  }
}

void check_weight(std::int32_t weight, const std::string& path, Findings& findings) {
  if (weight < 1 || weight > 100) findings.bad(path, std::to_string(weight), "must be in the range 1-100");
}

constexpr std::string_view kRequired = ".requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = ".preferredDuringSchedulingIgnoredDuringExecution";

void check_node_affinity(const NodeAffinity& affinity, Findings& findings) {
  const std::string path = "spec.affinity.nodeAffinity";
  if (affinity.required) {
    const auto terms = path + std::string(kRequired) + ".nodeSelectorTerms";
    if (affinity.required->empty()) findings.required(terms, "must have at least one node selector term");
    for (std::size_t i = 0; i < affinity.required->size(); ++i) {
      check_node_term((*affinity.required)[i], item(terms, i), findings);
    }
  }
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const auto at = item(path + std::string(kPreferred), i);
    check_weight(affinity.preferred[i].weight, at + ".weight", findings);
    check_node_term(affinity.preferred[i].preference, at + ".preference", findings);
  }
}

void check_topology_key(std::string_view key, const std::string& path, Findings& findings) {
  if (key.empty()) return findings.required(path, "can not be empty");
  detail::check_label_key(key, path, findings);
}

void check_pod_term(const PodAffinityTerm& term, const std::string& path, Findings& findings) {
  if (term.label_selector) check_selector(*term.label_selector, path + ".labelSelector", findings);
  if (term.namespace_selector)
    check_selector(*term.namespace_selector, path + ".namespaceSelector", findings);
  for (std::size_t i = 0; i < term.namespaces.size(); ++i) {
    if (is_dns_label(term.namespaces[i])) continue;
    findings.bad(item(path + ".namespaces", i), term.namespaces[i], "must be a lowercase RFC 1123 label");
  }
  if (!term.label_selector && !(term.match_label_keys.empty() && term.mismatch_label_keys.empty())) {
    findings.forbidden(path + (term.match_label_keys.empty() ? ".mismatchLabelKeys" : ".matchLabelKeys"),
                       "must not be specified when labelSelector is not set");
  }
  check_topology_key(term.topology_key, path + ".topologyKey", findings);
}

void check_pod_affinity(const PodAffinity& affinity, const std::string& path, Findings& findings) {
  for (std::size_t i = 0; i < affinity.required.size(); ++i) {
    check_pod_term(affinity.required[i], item(path + std::string(kRequired), i), findings);
  }
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const auto at = item(path + std::string(kPreferred), i);
    check_weight(affinity.preferred[i].weight, at + ".weight", findings);
    check_pod_term(affinity.preferred[i].term, at + ".podAffinityTerm", findings);
  }
}

// --- the rest of the spec ---

void check_spread(const std::vector<TopologySpreadConstraint>& constraints, Findings& findings) {
  std::set<std::pair<std::string_view, bool>> seen;
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
    if (!constraint.label_selector && !constraint.match_label_keys.empty()) {
      findings.forbidden(path + ".matchLabelKeys", "must not be specified when labelSelector is not set");
    }
    if (constraint.min_domains && *constraint.min_domains <= 0) {
      findings.bad(path + ".minDomains", std::to_string(*constraint.min_domains), "must be greater than 0");
    }
    if (constraint.min_domains && !constraint.do_not_schedule) {
      findings.bad(path + ".minDomains", std::to_string(*constraint.min_domains),
                   "can only use minDomains if whenUnsatisfiable=DoNotSchedule");
    }
    if (constraint.label_selector)
      check_selector(*constraint.label_selector, path + ".labelSelector", findings);
    if (!seen.emplace(constraint.topology_key, constraint.do_not_schedule).second) {
      findings.duplicate(path + ".{topologyKey, whenUnsatisfiable}", constraint.topology_key);
    }
  }
}

void check_tolerations(const std::vector<Toleration>& tolerations, Findings& findings) {
  using Op = Toleration::Op;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const auto& toleration = tolerations[i];
    const auto path = item("spec.tolerations", i);
    if (!toleration.key.empty()) detail::check_label_key(toleration.key, path + ".key", findings);
    if (toleration.key.empty() && toleration.op != Op::exists) {
      findings.bad(path + ".operator", "", "operator must be Exists when `key` is empty");
    }
    if (toleration.op == Op::equal) detail::check_label_value(toleration.value, path + ".value", findings);
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

void check_gates(const Pod& pod, Findings& findings) {
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

void check_volumes(const std::vector<Volume>& volumes, Findings& findings) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const auto path = item("spec.volumes", i);
    if (volumes[i].name.empty()) {
      findings.required(path + ".name");
    } else if (!names.insert(volumes[i].name).second) {
      findings.duplicate(path + ".name", volumes[i].name);
    }
    if (volumes[i].kind == Volume::Kind::claim && volumes[i].id.empty()) {
      findings.required(path + ".persistentVolumeClaim.claimName");
    }
  }
}

}  // namespace

std::vector<std::string> validate(const Pod& pod) {
  Findings findings;
  detail::check_metadata(pod.meta, findings);
  check_volumes(pod.volumes, findings);
  std::set<std::string_view> names;
  if (pod.containers.empty()) findings.required("spec.containers");
  check_containers(pod, pod.containers, "spec.containers", names, findings);
  check_containers(pod, pod.init_containers, "spec.initContainers", names, findings);
  check_pod_level(pod, findings);
  detail::check_labels(pod.node_selector, "spec.nodeSelector", findings);
  check_node_affinity(pod.node_affinity, findings);
  check_pod_affinity(pod.pod_affinity, "spec.affinity.podAffinity", findings);
  check_pod_affinity(pod.pod_anti_affinity, "spec.affinity.podAntiAffinity", findings);
  check_gates(pod, findings);
  check_spread(pod.topology_spread, findings);
  if (!pod.node_name.empty() && !is_dns_subdomain(pod.node_name)) {
    findings.bad("spec.nodeName", pod.node_name, "must be a lowercase RFC 1123 subdomain");
  }
  check_tolerations(pod.tolerations, findings);
  detail::check_amounts(pod.overhead, "spec.overhead", findings);
  return findings.take();
}

}  // namespace podium::api
