#include "app/kubectl/waiting.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/json_view.h"
#include "app/kubectl/ask.h"
#include "app/render/text.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// Of a pod. Those of a dump that somebody wrote by hand may have no UID.
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

// Whether the object's controller is of this kind and has one of these names.
bool is_controlled(const json::value& object, const std::string& kind, const std::set<std::string>& names) {
  boost::system::error_code none;
  const auto* owners = object.find_pointer("/metadata/ownerReferences", none);
  if (!owners || !owners->is_array()) return false;
  return std::ranges::any_of(owners->get_array(), [&](const json::value& owner) {
    const auto* controls = owner.is_object() ? owner.get_object().if_contains("controller") : nullptr;
    return controls && *controls == json::value(true) && api::text_at(owner, "/kind") == kind &&
           names.contains(api::text_at(owner, "/name"));
  });
}

}  // namespace

Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns) {
  client::ListOptions unplaced;
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
  std::vector<render::WaitingPod> waiting;
  for (const auto& object : pods) {
    auto pod = render::read_waiting_pod(object);
    if (!pod) continue;
    if (reports) {
      if (const auto report = reports->find(key_of(pod->uid, pod->ns, pod->name)); report != reports->end())
        pod->report = report->second;
    }
    waiting.push_back(std::move(*pod));
  }
  return Waiting{render::group_waiting(std::move(waiting)), installed};
}

Result<std::vector<json::value>> pods_of(Cluster& cluster, const TypeAndName& workload,
                                         const std::string& ns) {
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

std::string did_you_mean(Cluster& cluster, const std::string& ns, const std::string& pod) {
  const auto there = cluster.get(client::resource::namespaces, "", ns);
  if (!there && client::object_is_gone(there.error())) return fmt::format("There is no namespace {}.\n", ns);
  const auto pods = cluster.list(client::resource::pods, ns, {});
  if (!pods) return {};
  std::vector<std::string> names;
  for (const auto& object : *pods) {
    auto name = api::text_at(object, "/metadata/name");
    if (name.starts_with(pod) || pod.starts_with(name)) names.push_back(render::printable(name));
  }
  if (names.empty()) return {};
  std::ranges::sort(names);
  return fmt::format("Did you mean {}?\n", render::listed(names, 3));
}

}  // namespace podium::kubectl
