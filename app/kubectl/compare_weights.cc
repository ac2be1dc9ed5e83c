#include "app/kubectl/compare_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <span>
#include <utility>

#include "api/text/json_view.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/output.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/report.h"
#include "app/render/text.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr std::size_t kPodsShown = 10;

std::string pods_elsewhere(const explain::WeightsCompared& found, const std::string& ns,
                           const render::Options& options) {
  const auto most = options.wide ? found.elsewhere.size() : std::min(kPodsShown, found.elsewhere.size());
  if (most == 0) return {};
  const auto node = [](const std::string& name) { return name.empty() ? std::string("-") : name; };
  const auto shown = std::span(found.elsewhere).first(most);
  // Only a pod without a node has a reason.
  const bool has_reasons = std::ranges::any_of(shown, [](const auto& pod) { return !pod.reason.empty(); });
  std::vector<render::Cells> rows{{"POD", "NODE", "THEN"}};
  if (has_reasons) rows.front().emplace_back("BECAUSE");
  for (const auto& pod : shown) {
    rows.push_back({fmt::format("{}/{}", pod.ns.empty() ? ns : pod.ns, pod.name), node(pod.node_before),
                    node(pod.node)});
    if (has_reasons) rows.back().push_back(pod.reason);
  }
  auto out = render::table(rows, {render::Align::left}, 2, {options.columns, {{3, 16}, {0, 16}}});
  if (found.elsewhere_total > most)
    out += fmt::format("  and {}\n", counted(found.elsewhere_total - most, "more pod"));
  return out;
}

std::string words_of(const render::Report& report, const explain::WeightsCompared& found,
                     const render::Options& options) {
  const auto& [pods, staying, moved, lost, gained, nodes_before, nodes, elsewhere, total] = found;
  if (pods == 0 && staying == 0) return "There is no pod to place.\n";
  auto out = fmt::format("{} again with the current weights and with these, on empty nodes",
                         counted(pods, "pod is placed", "pods are placed"));
  if (staying > 0)
    out += fmt::format("; {} (of DaemonSets, static, terminating, or of other schedulers)",
                       counted(staying, "pod stays", "pods stay"));
  out += ".\n";
  if (moved + lost + gained == 0) return out + "No pod would be elsewhere, lose its place or gain one.\n";
  out += fmt::format("{} on another node, {} a place, {} one.\n",
                     counted(moved, "pod would be", "pods would be"),
                     options.style.bad(counted(lost, "pod would lose", "pods would lose")),
                     options.style.good(counted(gained, "pod would gain", "pods would gain")));
  out += fmt::format("Nodes in use: {}, and {} with the current weights.\n", nodes, nodes_before);
  out += pods_elsewhere(found, report.ns, options);
  if (const auto all = moved + lost + gained; all > total)
    out += fmt::format("{} of other namespaces {} not named.\n", counted(all - total, "pod"),
                       all - total == 1 ? "is" : "are");
  return out + "Running pods stay on their nodes when the weights change; new ones follow them.\n";
}

// How a pod fares, the worst first.
int rank(const explain::PodElsewhere& pod) { return pod.node.empty() ? 0 : pod.node_before.empty() ? 1 : 2; }

// An answer names pods of its own namespace only. Asks again in the namespaces of the most pods, and adds
// the pods of those in which the user may ask.
void name_others(Cluster& cluster, const json::object& spec, explain::WeightsCompared& found) {
  const auto pods = list_pods_seen(cluster, {});
  if (!pods) return;
  PodCounts counts;
  for (const auto& pod : *pods) ++counts[api::text_at(pod, "/metadata/namespace")];
  counts.erase(cluster.ns());
  for (const auto& ns : namespaces_with_most(counts)) {
    if (found.elsewhere_total >= found.moved + found.lost + found.gained) break;
    const auto asked = cluster.ask(ns, spec, false);
    if (!asked) continue;
    const auto report = render::read_report(*asked);
    if (explain::refusal_of(report) || !render::answer_of(report).weights_compared) continue;
    auto more = *render::answer_of(report).weights_compared;
    for (auto& pod : more.elsewhere) {
      if (pod.ns.empty()) pod.ns = ns;
      found.elsewhere.push_back(std::move(pod));
    }
    found.elsewhere_total += more.elsewhere_total;
  }
  std::ranges::stable_sort(found.elsewhere, {}, &rank);
}

}  // namespace

int run_compare_weights(const CLI::App& command, const Shared& shared,
                        const std::vector<std::string>& weights) {
  auto problems = problems_of(shared);
  auto strategies = strategies_of(weights, problems);
  if (problems) return fail_with(command, problems.error());
  const auto cluster = open_cluster(shared.connection);
  if (!cluster) return fail_with(command, cluster.error());
  // The question is about the whole cluster. Only -n names a namespace that must exist.
  const auto& ns = (*cluster)->ns();
  if (const auto missing = shared.connection.ns.empty() ? "" : no_namespace(**cluster, ns); !missing.empty())
    return print({.err = missing, .code = 1});
  json::object search{{"compareWeights", json::object{{"strategies", std::move(strategies)}}}};
  const json::object spec{{"dryRun", true}, {"search", std::move(search)}};
  const auto asked = (*cluster)->ask(ns, spec, false);
  if (!asked) return fail_with(command, asked.error());
  const auto report = render::read_report(*asked);
  if (const auto* refusal = explain::refusal_of(report)) {
    const auto of_flags = flags_error(report.status.findings, 0);
    return fail_with(command, of_flags ? *of_flags : invalid(*refusal).error());
  }
  auto found = render::answer_of(report).weights_compared;
  if (!found) return fail_with(command, {.message = report.status.message});
  const bool may_name_all = shared.connection.ns.empty() || shared.connection.all_namespaces;
  if (shared.output.has_words() && may_name_all) name_others(**cluster, spec, *found);
  return print(answered(command, shared.output, *asked, {report_name(*asked)}, [&] {
    return words_of(report, *found, render_options(shared.output, program_of(command)));
  }));
}

}  // namespace podium::kubectl
