#include <cstdio>
#include <cstdlib>

#include "base/time.h"
#include "unit/support/builders.h"

namespace podium::test {
namespace {

Wall time(std::string_view text) {
  const auto parsed = parse_time(text);
  if (!parsed) {
    std::fprintf(stderr, "test data: no time: %.*s\n", static_cast<int>(text.size()), text.data());
    std::abort();
  }
  return *parsed;
}

}  // namespace

PodBuilder::PodBuilder(std::string name) {
  pod_.meta.uid = "uid-" + name;
  pod_.meta.name = std::move(name);
  pod_.meta.namespace_ = "default";
}

PodBuilder pod(std::string name) { return PodBuilder(std::move(name)); }

PodBuilder& PodBuilder::ns(std::string name) {
  pod_.meta.uid = "uid-" + name + "-" + pod_.meta.name;
  pod_.meta.namespace_ = std::move(name);
  return *this;
}
PodBuilder& PodBuilder::uid(std::string uid) {
  pod_.meta.uid = std::move(uid);
  return *this;
}
PodBuilder& PodBuilder::resource_version(std::string version) {
  pod_.meta.resource_version = std::move(version);
  return *this;
}
PodBuilder& PodBuilder::label(std::string key, std::string value) {
  pod_.meta.labels.set(std::move(key), std::move(value));
  return *this;
}
PodBuilder& PodBuilder::annotation(std::string key, std::string value) {
  pod_.meta.annotations.set(std::move(key), std::move(value));
  return *this;
}
PodBuilder& PodBuilder::owner(std::string kind, std::string name, std::string api_version) {
  auto uid = "uid-" + name;
  pod_.meta.owners.push_back(
      {std::move(api_version), std::move(kind), std::move(name), std::move(uid), true});
  return *this;
}
PodBuilder& PodBuilder::created(std::string_view rfc3339) {
  pod_.meta.created = time(rfc3339);
  return *this;
}
PodBuilder& PodBuilder::terminating() {
  pod_.meta.deleted = time("2026-01-01T00:00:00Z");
  return *this;
}

api::Container& PodBuilder::current() {
  auto& list = in_init_ ? pod_.init_containers : pod_.containers;
  if (list.empty()) container();
  return list.write().back();
}

PodBuilder& PodBuilder::container(std::string name) {
  in_init_ = false;
  auto& added = pod_.containers.emplace_back();
  added.name = name.empty() ? "c" + std::to_string(pod_.containers.size()) : std::move(name);
  return *this;
}
PodBuilder& PodBuilder::init_container(std::string name) {
  in_init_ = true;
  auto& added = pod_.init_containers.emplace_back();
  added.name = name.empty() ? "i" + std::to_string(pod_.init_containers.size()) : std::move(name);
  return *this;
}
PodBuilder& PodBuilder::sidecar(std::string name) {
  init_container(std::move(name));
  pod_.init_containers.write().back().restart_always = true;
  return *this;
}
PodBuilder& PodBuilder::req(std::string_view resource, std::string_view amount) {
  set_resource(current().requests, resource, amount);
  return *this;
}
PodBuilder& PodBuilder::limit(std::string_view resource, std::string_view amount) {
  set_resource(current().limits, resource, amount);
  return *this;
}
PodBuilder& PodBuilder::image(std::string image) {
  current().image = std::move(image);
  return *this;
}
PodBuilder& PodBuilder::host_port(int port, std::string protocol, std::string ip) {
  current().ports.push_back({port, std::move(ip), std::move(protocol), port});
  return *this;
}
PodBuilder& PodBuilder::restart_rule(std::string action) {
  current().restart_rules.push_back({std::move(action)});
  return *this;
}

PodBuilder& PodBuilder::node(std::string name) {
  pod_.node_name = std::move(name);
  return *this;
}
PodBuilder& PodBuilder::scheduler(std::string name) {
  pod_.scheduler_name = std::move(name);
  return *this;
}
PodBuilder& PodBuilder::priority(int value) {
  pod_.priority = value;
  return *this;
}
PodBuilder& PodBuilder::priority_class(std::string name) {
  pod_.priority_class_name = std::move(name);
  return *this;
}
PodBuilder& PodBuilder::preempt_never() {
  pod_.preempt_never = pod_.has_preemption_policy = true;
  return *this;
}
PodBuilder& PodBuilder::host_network() {
  pod_.host_network = true;
  return *this;
}
PodBuilder& PodBuilder::host_users(bool shared) {
  pod_.host_users = shared;
  return *this;
}
PodBuilder& PodBuilder::gate(std::string name) {
  pod_.scheduling_gates.push_back(std::move(name));
  return *this;
}
PodBuilder& PodBuilder::node_selector(std::string key, std::string value) {
  pod_.node_selector.set(std::move(key), std::move(value));
  return *this;
}
PodBuilder& PodBuilder::require_node(api::NodeSelectorTerm term) {
  require_no_node();
  pod_.node_affinity.required->push_back(std::move(term));
  return *this;
}
PodBuilder& PodBuilder::require_no_node() {
  if (!pod_.node_affinity.required) pod_.node_affinity.required.emplace();
  return *this;
}
PodBuilder& PodBuilder::prefer_node(int weight, api::NodeSelectorTerm term) {
  pod_.node_affinity.preferred.push_back({weight, std::move(term)});
  return *this;
}
PodBuilder& PodBuilder::affinity(api::PodAffinityTerm term) {
  pod_.pod_affinity.required.push_back(std::move(term));
  return *this;
}
PodBuilder& PodBuilder::prefer_affinity(int weight, api::PodAffinityTerm term) {
  pod_.pod_affinity.preferred.push_back({weight, std::move(term)});
  return *this;
}
PodBuilder& PodBuilder::anti_affinity(api::PodAffinityTerm term) {
  pod_.pod_anti_affinity.required.push_back(std::move(term));
  return *this;
}
PodBuilder& PodBuilder::prefer_anti_affinity(int weight, api::PodAffinityTerm term) {
  pod_.pod_anti_affinity.preferred.push_back({weight, std::move(term)});
  return *this;
}
PodBuilder& PodBuilder::spread(api::TopologySpreadConstraint constraint) {
  pod_.topology_spread.push_back(std::move(constraint));
  return *this;
}
PodBuilder& PodBuilder::tolerate(std::string key, std::string value, std::string_view effect) {
  pod_.tolerations.push_back(
      {std::move(key), std::move(value), api::Toleration::Op::equal, taint_effect(effect)});
  return *this;
}
PodBuilder& PodBuilder::tolerate_exists(std::string key, std::string_view effect) {
  pod_.tolerations.push_back({std::move(key), "", api::Toleration::Op::exists, taint_effect(effect)});
  return *this;
}
PodBuilder& PodBuilder::overhead(std::string_view resource, std::string_view amount) {
  set_resource(pod_.overhead, resource, amount);
  return *this;
}
PodBuilder& PodBuilder::pod_req(std::string_view resource, std::string_view amount) {
  pod_.has_pod_level_resources = true;
  set_resource(pod_.pod_requests, resource, amount);
  return *this;
}
PodBuilder& PodBuilder::pod_limit(std::string_view resource, std::string_view amount) {
  pod_.has_pod_level_resources = true;
  set_resource(pod_.pod_limits, resource, amount);
  return *this;
}
PodBuilder& PodBuilder::claim(std::string claim_name, bool read_only) {
  api::Volume added;
  added.name = "v" + std::to_string(pod_.volumes.size() + 1);
  added.kind = api::Volume::Kind::claim;
  added.read_only = read_only;
  added.id = std::move(claim_name);
  return volume(std::move(added));
}
PodBuilder& PodBuilder::volume(api::Volume added) {
  pod_.volumes.push_back(std::move(added));
  return *this;
}
PodBuilder& PodBuilder::resource_claims() {
  pod_.resource_claims.push_back({.name = "claim", .claim_name = "claim", .template_name = std::nullopt});
  return *this;
}

PodBuilder& PodBuilder::phase(std::string phase) {
  pod_.phase = std::move(phase);
  return *this;
}
PodBuilder& PodBuilder::nominated(std::string node) {
  pod_.nominated_node = std::move(node);
  return *this;
}
PodBuilder& PodBuilder::started(std::string_view rfc3339) {
  pod_.start_time = time(rfc3339);
  return *this;
}
PodBuilder& PodBuilder::condition(std::string type, std::string status, std::string reason,
                                  std::string message) {
  pod_.conditions.push_back({std::move(type), std::move(status), std::move(reason), std::move(message)});
  return *this;
}

api::ContainerStatus& PodBuilder::status_of(const std::string& container) {
  for (auto& status : pod_.container_statuses.write()) {
    if (status.name == container) return status;
  }
  auto& added = pod_.container_statuses.emplace_back();
  added.name = container;
  return added;
}
PodBuilder& PodBuilder::status_resources(std::string container, std::string_view resource,
                                         std::string_view amount) {
  auto& status = status_of(container);
  if (!status.resources) status.resources.emplace();
  set_resource(*status.resources, resource, amount);
  return *this;
}
PodBuilder& PodBuilder::status_allocated(std::string container, std::string_view resource,
                                         std::string_view amount) {
  set_resource(status_of(container).allocated, resource, amount);
  return *this;
}

}  // namespace podium::test
