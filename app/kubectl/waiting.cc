#include "app/kubectl/waiting.h"

#include <map>

#include "app/kubectl/ask.h"

namespace podium::kubectl {
namespace {

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

}  // namespace

Result<Waiting> waiting_groups(Cluster& cluster, const std::string& ns) {
  client::ListOptions unplaced;
  unplaced.field_selector = "spec.nodeName=,status.phase=Pending";
  const auto pods = cluster.list(client::resource::pods, ns, unplaced);
  if (!pods) return std::unexpected(pods.error());
  const auto reports = decisions(cluster, ns);
  const bool installed = reports || !is_not_installed(reports.error());
  if (!reports && installed) return std::unexpected(reports.error());
  std::vector<render::WaitingPod> waiting;
  for (const auto& object : *pods) {
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

}  // namespace podium::kubectl
