#include "app/offline/missing_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "api/decode/dump_kinds.h"
#include "api/values/node.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "base/counted.h"
#include "base/similar.h"
#include "scheduler/cluster/resources.h"

namespace podium::offline {
namespace {

using api::Manifests;
using Pods = Manifests::List<api::Pod>;

template <typename Wants>
bool any_pod(const Pods& pods, Wants wants) {
  return std::ranges::any_of(pods, [&](const auto& pod) { return wants(*pod); });
}

// Collects the kinds without objects, except for those that the dump says to be absent.
class Lacks {
 public:
  explicit Lacks(const Manifests& dump) : dump_(dump) {}
  template <typename List>
  Lacks& of(const char* kind, const List& objects) {
    return when(objects.empty(), kind);
  }
  Lacks& when(bool lacks, const char* kind) {
    if (lacks && !is_empty(kind)) kinds_.emplace_back(kind);
    return *this;
  }
  void say(std::string_view consequence, std::vector<std::string>& out) const {
    if (!kinds_.empty())
      out.push_back(fmt::format("--cluster has no {}: {}", fmt::join(kinds_, ", "), consequence));
  }

 private:
  bool is_empty(std::string_view plural) const {
    const auto found = std::ranges::find(api::dump_kinds(), plural, &api::DumpKind::plural);
    return found != api::dump_kinds().end() && dump_.empty_kinds.contains(found->kind);
  }

  const Manifests& dump_;
  std::vector<std::string> kinds_;
};

void say_spreading(const Manifests& dump, const Pods& pods, std::vector<std::string>& out) {
  const auto has = [&](api::Workload::Kind kind) {
    return std::ranges::any_of(dump.workloads, [kind](const auto& w) { return w->kind == kind; });
  };
  const auto owned_by = [&](std::string_view kind) {
    return any_pod(pods, [kind](const api::Pod& pod) {
      const auto* owner = pod.meta.controller();
      return owner && owner->kind == kind && pod.topology_spread.empty();
    });
  };
  const bool labelled = any_pod(
      pods, [](const api::Pod& pod) { return pod.topology_spread.empty() && !pod.meta.labels.empty(); });
  using Kind = api::Workload::Kind;
  Lacks(dump)
      .when(!has(Kind::service) && labelled, "services")
      .when(!has(Kind::replica_set) && owned_by("ReplicaSet"), "replicasets")
      .when(!has(Kind::stateful_set) && owned_by("StatefulSet"), "statefulsets")
      .say("pods may be spread by them, which changes scores", out);
}

bool selects_namespaces(const api::PodAffinity& affinity) {
  const auto selects = [](const api::PodAffinityTerm& term) { return term.namespace_selector.has_value(); };
  return std::ranges::any_of(affinity.required, selects) ||
         std::ranges::any_of(affinity.preferred, selects, &api::WeightedPodAffinityTerm::term);
}

void say_namespaces(const Manifests& dump, const Pods& pods, std::vector<std::string>& out) {
  const auto selects = [](const api::Pod& pod) {
    return selects_namespaces(pod.pod_affinity) || selects_namespaces(pod.pod_anti_affinity);
  };
  if (any_pod(pods, selects) || any_pod(dump.pods, selects))
    Lacks(dump).of("namespaces", dump.namespaces).say("pod affinity selects them by their labels", out);
}

void say_volumes(const Manifests& dump, const Pods& pods, std::vector<std::string>& out) {
  const bool claims = any_pod(pods, [](const api::Pod& pod) {
    return std::ranges::any_of(pod.volumes, [](const auto& v) { return v.kind == api::Volume::Kind::claim; });
  });
  if (!claims) return;
  const bool by_capacity =
      std::ranges::any_of(dump.csi_drivers, [](const auto& driver) { return driver->storage_capacity; });
  const bool has_limits = std::ranges::any_of(dump.csi_nodes, [](const auto& node) {
    return std::ranges::any_of(node->drivers,
                               [](const auto& driver) { return driver.allocatable.has_value(); });
  });
  Lacks(dump)
      .of("persistentvolumes", dump.persistent_volumes)
      .of("persistentvolumeclaims", dump.persistent_volume_claims)
      .of("storageclasses", dump.storage_classes)
      .of("csinodes", dump.csi_nodes)
      .of("csidrivers", dump.csi_drivers)
      .when(by_capacity && dump.csi_storage_capacities.empty(), "csistoragecapacities")
      .when(has_limits && dump.volume_attachments.empty(), "volumeattachments")
      .say("the pod's volumes decide where it may go", out);
}

// An extended resource that no node has may be one of a device class.
bool may_be_a_device(const api::Pod& pod, const Manifests& dump) {
  const auto no_node_has = [&](const auto& request) {
    return cluster::is_extended_resource(request.first) &&
           std::ranges::none_of(dump.nodes, [&](const auto& node) {
             return std::ranges::any_of(node->allocatable,
                                        [&](const auto& has) { return has.first == request.first; });
           });
  };
  return std::ranges::any_of(pod.containers, [&](const api::Container& container) {
    return std::ranges::any_of(container.requests, no_node_has);
  });
}

void say_devices(const Manifests& dump, const Pods& pods, std::vector<std::string>& out) {
  const bool named = any_pod(pods, [](const api::Pod& pod) {
    return std::ranges::any_of(pod.resource_claims,
                               [](const auto& claim) { return claim.claim_name.has_value(); });
  });
  const bool of_template = any_pod(pods, [](const api::Pod& pod) {
    return std::ranges::any_of(pod.resource_claims,
                               [](const auto& claim) { return claim.template_name.has_value(); });
  });
  const bool extended = any_pod(pods, [&](const api::Pod& pod) { return may_be_a_device(pod, dump); });
  if (!named && !of_template && !extended) return;
  Lacks(dump)
      .of("resourceclaims", dump.resource_claims)
      .when(of_template && dump.resource_claim_templates.empty(), "resourceclaimtemplates")
      .of("deviceclasses", dump.device_classes)
      .of("resourceslices", dump.resource_slices)
      .say("the pod's devices decide where it may go", out);
}

}  // namespace

std::vector<std::string> missing_kinds(const Manifests& dump, const Pods& pods) {
  std::vector<std::string> out;
  say_spreading(dump, pods, out);
  say_namespaces(dump, pods, out);
  say_volumes(dump, pods, out);
  say_devices(dump, pods, out);
  const auto has_new_class = [](const api::Pod& pod) {
    return !pod.meta.created && !pod.runtime_class.empty();
  };
  if (any_pod(pods, has_new_class)) {
    Lacks(dump)
        .of("runtimeclasses", dump.runtime_classes)
        .say("the overhead and node selector of the pods' RuntimeClasses are not applied", out);
  }
  if (any_pod(pods, [](const api::Pod& pod) { return pod.priority_or_zero() > 0; })) {
    Lacks(dump)
        .of("poddisruptionbudgets", dump.disruption_budgets)
        .say("preemption may choose other pods", out);
  }
  return out;
}

void add_doubts(const api::Manifests& dump, std::vector<std::string>& warnings) {
  constexpr std::size_t kNamed = 3;
  std::set<std::string_view> nodes;
  std::vector<std::string> empty, without_pods;
  for (const auto& node : dump.nodes) {
    nodes.insert(node->meta.name);
    if (node->allocatable.empty() && node->capacity.empty()) empty.push_back(node->meta.name);
    const auto& has = node->allocatable.empty() ? node->capacity : node->allocatable;
    if (!has.empty() && !api::find_resource(has, "pods")) without_pods.push_back(node->meta.name);
  }
  if (!empty.empty())
    warnings.push_back(
        fmt::format("no pod fits on {}, without status.allocatable", podium::listed(empty, kNamed)));
  if (!without_pods.empty())
    warnings.push_back(fmt::format("no pod fits on {}, without pods in status.allocatable",
                                   podium::listed(without_pods, kNamed)));
  std::set<std::string> missing;
  std::size_t pods = 0;
  for (const auto& pod : dump.pods) {
    if (pod->node_name.empty() || pod->terminated() || nodes.contains(pod->node_name)) continue;
    ++pods;
    missing.insert(pod->node_name);
  }
  if (pods == 0) return;
  warnings.push_back(fmt::format("--cluster has {} on nodes that it does not have: {}",
                                 podium::counted(pods, "pod"),
                                 podium::listed({missing.begin(), missing.end()}, kNamed)));
}

}  // namespace podium::offline
