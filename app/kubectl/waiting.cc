#include "app/kubectl/waiting.h"

#include <map>

#include "app/kubectl/ask.h"

namespace podium::kubectl {
namespace {

// The decisions by the UID of their pod.
Result<std::map<std::string, render::Report>> decisions(Cluster& cluster, const std::string& ns) {
  client::ListOptions options;
  options.label_selector = "podium.dev/report=decision,podium.dev/outcome!=Scheduled";
  auto listed = cluster.list(client::resource::scheduling_reports, ns, options);
  if (!listed) return std::unexpected(std::move(listed.error()));
  std::map<std::string, render::Report> out;
  for (const auto& object : *listed) {
    auto report = render::read_report(object);
    out.insert_or_assign(report.pod_uid, std::move(report));
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
      if (const auto report = reports->find(pod->uid); report != reports->end()) pod->report = report->second;
    }
    waiting.push_back(std::move(*pod));
  }
  return Waiting{render::group_waiting(std::move(waiting)), installed};
}

}  // namespace podium::kubectl
