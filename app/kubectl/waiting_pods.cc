#include "app/kubectl/waiting_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "api/decode/decode.h"
#include "api/text/json_view.h"
#include "api/values/meta.h"
#include "app/kubectl/ask.h"
#include "app/render/text.h"
#include "explain/workload/owner.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// Identifies a pod. Pods in a handwritten dump may have no UID.
std::string key_of(const std::string& uid, const std::string& ns, const std::string& name) {
  return uid.empty() ? ns + "/" + name : uid;
}

Result<std::map<std::string, render::Report>> decisions(Cluster& cluster, const std::string& ns) {
  const auto listed = cluster.unplaced_decisions(ns);
  if (!listed) return std::unexpected(listed.error());
  std::map<std::string, render::Report> out;
  for (const auto& object : *listed) {
    auto report = render::read_report(object);
    const auto key = key_of(report.pod_uid, report.ns, report.pod);
    out.insert_or_assign(key, std::move(report));
  }
  return out;
}

// nullopt: the object has no controller.
std::optional<render::Owner> controller_of(const json::value& object) {
  const auto meta = api::decode_meta(object);
  const auto* owner = meta ? meta->controller() : nullptr;
  return owner ? std::optional(render::Owner{owner->kind, owner->name}) : std::nullopt;
}

// Whether the object's controller is of this kind and has one of these names.
bool is_controlled(const json::value& object, const std::string& kind, const std::set<std::string>& names) {
  const auto owner = controller_of(object);
  return owner && owner->kind == kind && names.contains(owner->name);
}

// The controllers of the ReplicaSets and Jobs of a namespace, or of all namespaces.
class Owners {
 public:
  Owners(Cluster& cluster, std::string ns) : cluster_(cluster), ns_(std::move(ns)) {}

  // The topmost workload: for a CronJob's pod the CronJob and not its Job. If the user may not list the kinds
  // between, as the controllers' names say.
  render::Owner top_of(const json::value& pod) {
    const auto meta = api::decode_meta(pod);
    if (!meta) return {};
    auto owner = explain::workload_of(*meta, [&](const render::Owner& below) -> std::optional<render::Owner> {
      const auto& above = of_kind(below.kind);
      const auto found = above.find(meta->namespace_ + "/" + below.name);
      return found == above.end() ? std::nullopt : std::optional(found->second);
    });
    return {render::printable(owner.kind), render::printable(owner.name)};
  }

 private:
  using Above = std::map<std::string, render::Owner>;

  const Above& of_kind(const std::string& kind) {
    const auto [found, is_new] = above_.try_emplace(kind);
    if (!is_new) return found->second;
    client::ListOptions names;
    names.metadata_only = true;
    const auto listed = cluster_.list(resource_of(*api::pod_maker_named(kind)), ns_, names);
    if (!listed) return found->second;
    for (const auto& object : *listed) {
      const auto name = api::text_at(object, "/metadata/name");
      found->second[api::text_at(object, "/metadata/namespace") + "/" + name] =
          controller_of(object).value_or(render::Owner{kind, name});
    }
    return found->second;
  }

  Cluster& cluster_;
  const std::string ns_;
  std::map<std::string, Above> above_;  // by kind
};

}  // namespace

Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns, const std::string& selector) {
  client::ListOptions unplaced;
  unplaced.label_selector = selector;
  unplaced.field_selector = "spec.nodeName=,status.phase=Pending";
  const auto pods = cluster.list(client::resource::pods, ns, unplaced);
  if (!pods) return std::unexpected(pods.error());
  return waiting_groups(cluster, ns, *pods);
}

Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns,
                               const std::vector<json::value>& pods) {
  const auto reports = decisions(cluster, ns);
  const bool installed = reports || !is_not_installed(reports.error());
  if (!reports && installed) return std::unexpected(reports.error());
  Owners owners(cluster, ns);
  std::vector<render::WaitingPod> waiting;
  for (const auto& object : pods) {
    auto pod = render::read_waiting_pod(object);
    if (!pod || pod->is_deleted) continue;
    pod->owner = owners.top_of(object);
    if (reports) {
      if (const auto report = reports->find(key_of(pod->uid, pod->ns, pod->name)); report != reports->end())
        pod->report = report->second;
    }
    pod->names_scheduler = installed && !pod->report && !pod->scheduler.empty();
    waiting.push_back(std::move(*pod));
  }
  return Waiting{render::group_waiting(std::move(waiting)), installed};
}

std::string where_of(const std::string& ns, const std::string& selector) {
  return (ns.empty() ? std::string(" in any namespace") : " in namespace " + ns) +
         (selector.empty() ? "" : " with the labels " + render::printable(selector));
}

Result<std::vector<json::value>> list_pods_seen(Cluster& cluster, const client::ListOptions& options) {
  auto listed = cluster.list(client::resource::pods, "", options);
  if (!listed && client::is_forbidden(listed.error()))
    listed = cluster.list(client::resource::pods, cluster.ns(), options);
  return listed;
}

Result<PodCounts> waiting_by_namespace(Cluster& cluster) {
  client::ListOptions unplaced;
  unplaced.field_selector = "spec.nodeName=,status.phase=Pending";
  const auto pods = list_pods_seen(cluster, unplaced);
  if (!pods) return std::unexpected(pods.error());
  PodCounts counts;
  for (const auto& pod : *pods) {
    const auto waiting = render::read_waiting_pod(pod);
    if (waiting && !waiting->is_deleted) ++counts[waiting->ns];
  }
  return counts;
}

std::vector<std::string> namespaces_with_most(const PodCounts& counts) {
  constexpr std::size_t kMost = 4;
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto& each) { return each.second; });
  std::vector<std::string> out;
  for (const auto& [ns, count] : sorted) {
    if (out.size() < kMost) out.push_back(ns);
  }
  return out;
}

std::vector<std::string> pod_names(const Waiting& waiting) {
  std::vector<std::string> out;
  for (const auto& group : waiting.groups) {
    for (const auto& name : group.names) out.push_back("pod/" + name);
  }
  return out;
}

Result<std::map<std::string, std::vector<json::value>>> pods_by_workload(Cluster& cluster,
                                                                         const std::string& ns) {
  auto pods = cluster.list(client::resource::pods, ns, {});
  if (!pods) return std::unexpected(std::move(pods.error()));
  Owners owners(cluster, ns);
  std::map<std::string, std::vector<json::value>> out;
  for (auto& pod : *pods) {
    const auto owner = owners.top_of(pod);
    out[owner.kind + "/" + owner.name].push_back(std::move(pod));
  }
  return out;
}

Result<std::vector<json::value>> pods_of(Cluster& cluster, const Target& workload, const std::string& ns) {
  std::set<std::string> owners{workload.name};
  std::string kind(workload.maker->kind);
  const auto between = kind == "Deployment" ? "rs" : kind == "CronJob" ? "job" : "";
  if (const auto* maker = api::pod_maker_named(between); *between != '\0' && maker) {
    const auto listed = cluster.list(resource_of(*maker), ns, {});
    if (!listed) return std::unexpected(listed.error());
    std::set<std::string> its;
    for (const auto& object : *listed) {
      if (is_controlled(object, kind, owners)) its.insert(api::text_at(object, "/metadata/name"));
    }
    kind = maker->kind;
    owners = std::move(its);
  }
  auto pods = cluster.list(client::resource::pods, ns, {});
  if (!pods) return pods;
  std::erase_if(*pods, [&](const json::value& pod) { return !is_controlled(pod, kind, owners); });
  return pods;
}

}  // namespace podium::kubectl
