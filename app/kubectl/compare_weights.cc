#include "app/kubectl/compare_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "api/text/json_view.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/output.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/report.h"
#include "app/render/weights.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

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
    return render::weights_compared(report, *found, render_options(shared.output, program_of(command)));
  }));
}

}  // namespace podium::kubectl
