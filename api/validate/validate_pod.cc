#include <set>

#include "api/validate/validate.h"
#include "api/validate/validate_names.h"
#include "api/values/defaults.h"
#include "api/values/pod.h"
#include "api/values/resource_names.h"

namespace podium::api {
namespace {

using detail::item;

// --- resources ---

constexpr std::string_view kRequests = "requests.";  // begins the names of a quota's resources

void check_huge_pages(const ResourceList& list, const std::string& path, Problems& problems) {
  for (const auto& [name, amount] : list) {
    if (!is_huge_page(name)) continue;
    const auto page = Quantity::parse(std::string_view(name).substr(kHugePages.size()));
    const bool has_size = page && !page->is_zero() && !page->is_negative() && page->milli_value() % 1000 == 0;
    if (has_size && amount.value() % page->value() == 0) continue;
    problems.invalid(path + '[' + name + ']', amount.text(), "is not a positive integer multiple of " + name);
  }
}

void check_requirements(const ResourceList& requests, const ResourceList& limits, const std::string& path,
                        Problems& problems) {
  const auto request_path = path + ".requests", limit_path = path + ".limits";
  detail::check_amounts(requests, request_path, problems);
  detail::check_amounts(limits, limit_path, problems);
  check_huge_pages(requests, request_path, problems);
  check_huge_pages(limits, limit_path, problems);
  for (const auto& [name, amount] : requests) {
    const auto* limit = find_resource(limits, name);
    const bool overcommit = is_overcommit_allowed(name);
    if (!limit && !overcommit) {
      problems.required(limit_path, "Limit must be set for non overcommitable resources");
    } else if (limit && !overcommit && amount != *limit) {
      problems.invalid(request_path, amount.text(),
                       "must be equal to " + name + " limit of " + limit->text());
    } else if (limit && amount > *limit) {
      problems.invalid(request_path, amount.text(),
                       "must be less than or equal to " + name + " limit of " + limit->text());
    }
  }
}

void check_container_resources(const Container& container, const std::string& path, Problems& problems) {
  bool compute = false, huge_pages = false;
  for (const auto* list : {&container.requests, &container.limits}) {
    for (const auto& entry : *list) {
      const auto& name = entry.first;
      compute |= name == "cpu" || name == "memory";
      huge_pages |= is_huge_page(name);
      const auto at = path + (list == &container.requests ? ".requests[" : ".limits[") + name + "]";
      if (name == "cpu" || name == "memory" || name == "ephemeral-storage" || is_huge_page(name)) continue;
      if (!name.contains('/')) {
        problems.invalid(at, name, "must be a standard resource for containers");
      } else if (!is_native_resource(name) && name.starts_with(kRequests)) {
        problems.invalid(at, name, "doesn't follow extended resource name standard");
      }
    }
  }
  check_requirements(container.requests, container.limits, path, problems);
  if (huge_pages && !compute) problems.forbidden(path, "HugePages require cpu or memory");
}

void check_pod_level(const Pod& pod, Problems& problems) {
  if (!pod.has_pod_level_resources) return;
  const std::string path = "spec.resources";
  check_requirements(pod.pod_requests, pod.pod_limits, path, problems);
  for (const auto* list : {&pod.pod_requests, &pod.pod_limits}) {
    for (const auto& entry : *list) {
      if (is_supported_pod_level_resource(entry.first)) continue;
      problems.not_supported(
          path + (list == &pod.pod_requests ? ".requests[" : ".limits[") + entry.first + "]",
          "cannot be set for a pod as a whole");
    }
  }
  for (const auto& [name, amount] : aggregate_containers(pod, &Container::requests)) {
    const auto* whole = find_resource(pod.pod_requests, name);
    if (!whole || amount <= *whole) continue;
    problems.invalid(path + ".requests[" + name + "]", whole->text(),
                     "must be greater than or equal to aggregate container requests of " + amount.text());
  }
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    for (const auto& [name, amount] : pod.containers[i].limits) {
      const auto* whole = find_resource(pod.pod_limits, name);
      if (!whole || amount <= *whole) continue;
      problems.invalid(item("spec.containers", i) + ".resources.limits[" + name + "]", amount.text(),
                       "must be less than or equal to pod limits of " + whole->text());
    }
  }
}

// --- containers ---

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void check_port(const ContainerPort& port, bool host_network, const std::string& path, Problems& problems) {
  const auto in_range = [](std::int32_t number) { return number >= 1 && number <= 65535; };
  if (port.container_port == 0) {
    problems.required(path + ".containerPort");
  } else if (!in_range(port.container_port)) {
    problems.invalid(path + ".containerPort", std::to_string(port.container_port),
                     "must be between 1 and 65535");
  }
  if (port.host_port != 0 && !in_range(port.host_port)) {
    problems.invalid(path + ".hostPort", std::to_string(port.host_port), "must be between 1 and 65535");
  }
  if (host_network && port.host_port != port.container_port) {
    problems.invalid(path + ".hostPort", std::to_string(port.host_port),
                     "must match `containerPort` when `hostNetwork` is true");
  }
  if (port.protocol != "TCP" && port.protocol != "UDP" && port.protocol != "SCTP") {
    problems.not_supported(path + ".protocol", "must be TCP, UDP or SCTP");
  }
}

// The same host port twice, in the list or, of containers that run one after the other, in one of them.
void check_host_ports(const std::vector<Container>& containers, bool one_by_one, const std::string& path,
                      Problems& problems) {
  std::set<std::string> taken;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (one_by_one) taken.clear();
    for (std::size_t j = 0; j < containers[i].ports.size(); ++j) {
      const auto& port = containers[i].ports[j];
      if (port.host_port == 0) continue;
      const auto text = port.protocol + '/' + port.host_ip + '/' + std::to_string(port.host_port);
      if (!taken.insert(text).second)
        problems.duplicate(item(item(path, i) + ".ports", j) + ".hostPort", text);
    }
  }
}

void check_containers(const Pod& pod, const std::vector<Container>& containers, const std::string& list_path,
                      std::set<std::string_view>& names, Problems& problems) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const auto& container = containers[i];
    const auto path = item(list_path, i);
    if (container.name.empty()) {
      problems.required(path + ".name");
    } else if (!is_dns_label(container.name)) {
      problems.invalid(path + ".name", container.name, kDnsLabelError);
    } else if (!names.insert(container.name).second) {
      problems.duplicate(path + ".name", container.name);
    }
    if (container.image.empty()) {
      problems.required(path + ".image");
    } else if (is_space(container.image.front()) || is_space(container.image.back())) {
      problems.invalid(path + ".image", container.image, "must not have leading or trailing whitespace");
    }
    check_container_resources(container, path + ".resources", problems);
    for (std::size_t j = 0; j < container.ports.size(); ++j) {
      check_port(container.ports[j], pod.host_network, item(path + ".ports", j), problems);
    }
  }
}

// A name that is a DNS label and occurs once in its list.
void check_unique_label(const std::string& name, const std::string& path, std::set<std::string_view>& names,
                        Problems& problems) {
  if (name.empty()) {
    problems.required(path);
  } else if (!is_dns_label(name)) {
    problems.invalid(path, name, kDnsLabelError);
  } else if (!names.insert(name).second) {
    problems.duplicate(path, name);
  }
}

void check_volumes(const Pod& pod, Problems& problems) {
  std::set<std::string_view> names;
  std::set<std::string> made;  // claims of ephemeral volumes
  for (const auto& volume : pod.volumes) {
    if (volume.kind == Volume::Kind::ephemeral) made.insert(pod.meta.name + '-' + volume.name);
  }
  for (std::size_t i = 0; i < pod.volumes.size(); ++i) {
    const auto& volume = pod.volumes[i];
    const auto path = item("spec.volumes", i);
    check_unique_label(volume.name, path + ".name", names, problems);
    if (volume.kind != Volume::Kind::claim) continue;
    const auto claim = path + ".persistentVolumeClaim.claimName";
    if (volume.id.empty()) problems.required(claim);
    if (made.contains(volume.id))
      problems.invalid(claim, volume.id,
                       "must not reference a PVC that gets created for an ephemeral volume");
  }
}

void check_resource_claims(const std::vector<PodResourceClaim>& claims, Problems& problems) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const auto& claim = claims[i];
    const auto path = item("spec.resourceClaims", i);
    check_unique_label(claim.name, path + ".name", names, problems);
    if (claim.claim_name && claim.template_name)
      problems.invalid(path, claim.name,
                       "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    if (!claim.claim_name && !claim.template_name)
      problems.invalid(path, claim.name,
                       "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    const auto check_name = [&](const std::optional<std::string>& name, const char* field) {
      if (name && !is_dns_subdomain(*name)) problems.invalid(path + field, *name, kSubdomainError);
    };
    check_name(claim.claim_name, ".resourceClaimName");
    check_name(claim.template_name, ".resourceClaimTemplateName");
  }
}

void check_name(const std::string& name, const std::string& path, Problems& problems) {
  if (!name.empty() && !is_dns_subdomain(name)) problems.invalid(path, name, kSubdomainError);
}

}  // namespace

std::vector<Finding> validate(const Pod& pod) {
  Problems problems;
  detail::check_metadata(pod.meta, problems);
  check_volumes(pod, problems);
  check_resource_claims(pod.resource_claims, problems);
  std::set<std::string_view> names;
  if (pod.containers.empty()) problems.required("spec.containers");
  check_containers(pod, pod.containers, "spec.containers", names, problems);
  check_host_ports(pod.containers, false, "spec.containers", problems);
  check_containers(pod, pod.init_containers, "spec.initContainers", names, problems);
  check_host_ports(pod.init_containers, true, "spec.initContainers", problems);
  check_pod_level(pod, problems);
  detail::check_constraints(pod, problems);
  if (!pod.host_users && pod.host_network) problems.forbidden("spec.hostNetwork", kHostUsersError);
  check_name(pod.node_name, "spec.nodeName", problems);
  check_name(pod.priority_class_name, "spec.priorityClassName", problems);
  check_name(pod.runtime_class, "spec.runtimeClassName", problems);
  detail::check_amounts(pod.overhead, "spec.overhead", problems);
  return problems.take();
}

}  // namespace podium::api
