// `podium pending`: all pods that wait, by reason.
#include "app/render/pending.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>

#include "api/yaml.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/commands.h"

namespace podium::kubectl {
namespace {

struct PendingFlags {
  Connection connection;
  Output output;
};

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

int run_pending(const CLI::App& command, const PendingFlags& flags) {
  auto cluster = Cluster::connect(flags.connection);
  if (!cluster) return fail_with(command, cluster.error());
  const auto ns = flags.connection.all_namespaces ? std::string() : (*cluster)->ns();
  client::ListOptions unplaced;
  unplaced.field_selector = "spec.nodeName=,status.phase=Pending";
  const auto pods = (*cluster)->list(client::resource::pods, ns, unplaced);
  if (!pods) return fail_with(command, pods.error());
  const auto reports = decisions(**cluster, ns);
  const bool installed = reports || !is_not_installed(reports.error());
  if (!reports && installed) return fail_with(command, reports.error());
  std::vector<render::WaitingPod> waiting;
  for (const auto& object : *pods) {
    auto pod = render::read_waiting_pod(object);
    if (!pod) continue;
    if (reports) {
      if (const auto report = reports->find(pod->uid); report != reports->end()) pod->report = report->second;
    }
    waiting.push_back(std::move(*pod));
  }
  const auto groups = render::group_waiting(std::move(waiting));
  if (flags.output.format == "json" || flags.output.format == "yaml") {
    const auto document = render::pending_document(groups);
    std::cout << (flags.output.format == "yaml" ? api::to_yaml(document) : api::to_json(document));
    return 0;
  }
  if (!installed)
    std::cerr << "podium is not installed in this cluster: these are the words of the pods' scheduler.\n";
  std::cout << render::pending_table(
      groups, render_options(flags.output, installed ? program_of(command) : std::string()));
  return 0;
}

}  // namespace

void add_pending(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("pending", "Which pods wait, and what blocks them?");
  const auto flags = std::make_shared<PendingFlags>();
  add_connection(*command, flags->connection, true);
  add_output(*command, flags->output);
  command->callback([command, flags, &exit_code] { exit_code = run_pending(*command, *flags); });
}

}  // namespace podium::kubectl
