// `podium pending`: all pods that wait, by reason.
#include "app/render/pending.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/kubectl/command_output.h"
#include "app/kubectl/verbs.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/json_path.h"

namespace podium::kubectl {
namespace {

CommandOutput pending(const CLI::App& command, Cluster& cluster, const Shared& shared,
                      const std::optional<render::JsonPath>& sort_by) {
  const auto& output = shared.output;
  const auto ns = shared.connection.all_namespaces ? std::string() : cluster.ns();
  auto waiting = waiting_groups(cluster, ns, shared.selector);
  if (!waiting) return failed(command, waiting.error());
  auto& [groups, installed] = *waiting;
  // The API server lists a namespace that does not exist as an empty one.
  if (groups.empty() && !ns.empty()) {
    if (auto missing = no_namespace(cluster, ns); !missing.empty())
      return {.err = std::move(missing), .code = 1};
  }
  if (sort_by) render::sort_groups(groups, *sort_by);
  auto result = answered(command, output, render::pending_document(groups), pod_names(*waiting), [&] {
    auto options = render_options(output, installed ? program_of(command) : std::string());
    options.flags = cluster.hint_flags();
    options.where = where_of(ns, shared.selector);
    return render::pending_table(groups, options);
  });
  if (!installed && output.has_words())
    result.err +=
        "podium is not installed in this cluster: these are the reasons that the pods' own scheduler "
        "gives.\n";
  return result;
}

std::optional<render::JsonPath> read_sort_by(const std::string& text, Problems& problems) {
  if (text.empty()) return std::nullopt;
  auto path = render::JsonPath::parse_field(text);
  if (!path) {
    problems.add("--sort-by: " + path.error().message);
    return std::nullopt;
  }
  const auto fields = render::row_fields();
  const auto field = path->first_field();
  if (!field.empty() && std::ranges::find(fields, field) == fields.end())
    problems.add(
        fmt::format("--sort-by: no row has the field \"{}\"; rows have: {}", field, fmt::join(fields, ", ")));
  return std::move(*path);
}

int run_pending(const CLI::App& command, const Shared& shared) {
  auto problems = problems_of(shared);
  const auto sort_by = read_sort_by(shared.sort_by, problems);
  if (problems) return fail_with(command, problems.error());
  auto cluster = open_cluster(shared.connection);
  if (!cluster) return fail_with(command, cluster.error());
  return say(**cluster, shared.watch, [&] { return pending(command, **cluster, shared, sort_by); });
}

}  // namespace

std::function<int()> declare_pending(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  return [&command, shared] { return run_pending(command, *shared); };
}

}  // namespace podium::kubectl
