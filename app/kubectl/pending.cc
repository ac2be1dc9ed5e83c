// `podium pending`: all pods that wait, by reason.
#include "app/render/pending.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "api/yaml.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/commands.h"
#include "app/kubectl/waiting.h"

namespace podium::kubectl {
namespace {

struct PendingFlags {
  Connection connection;
  Output output;
};

int run_pending(const CLI::App& command, const PendingFlags& flags) {
  auto cluster = open_cluster(flags.connection);
  if (!cluster) return fail_with(command, cluster.error());
  const auto ns = flags.connection.all_namespaces ? std::string() : (*cluster)->ns();
  const auto waiting = waiting_groups(**cluster, ns);
  if (!waiting) return fail_with(command, waiting.error());
  const auto& [groups, installed] = *waiting;
  // The API server lists a namespace that does not exist as an empty one.
  if (groups.empty() && !ns.empty()) {
    const auto there = (*cluster)->get(client::resource::namespaces, "", ns);
    if (!there && client::object_is_gone(there.error()))
      return fail_with(command, Error{.message = fmt::format("there is no namespace {}", ns)});
  }
  if (flags.output.format == "json" || flags.output.format == "yaml") {
    const auto document = render::pending_document(groups);
    std::cout << (flags.output.format == "yaml" ? api::to_yaml(document) : api::to_json(document));
    return 0;
  }
  if (!installed)
    std::cerr << "podium is not installed in this cluster: these are the words of the pods' scheduler.\n";
  auto options = render_options(flags.output, installed ? program_of(command) : std::string());
  options.flags = (*cluster)->hint_flags();
  std::cout << render::pending_table(groups, options);
  return 0;
}

}  // namespace

void add_pending(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("pending", "Which pods wait, and what blocks them?");
  const auto flags = std::make_shared<PendingFlags>();
  add_connection(*command, flags->connection, true);
  add_dump_files(*command, flags->connection);
  add_output(*command, flags->output);
  command->callback([command, flags, &exit_code] { exit_code = run_pending(*command, *flags); });
}

}  // namespace podium::kubectl
