#include "app/evaluate/table.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "app/render/text.h"
#include "explain/report/project.h"

namespace podium::evaluate {
namespace {

using render::Align;
using render::Cells;

std::string replicas_line(const Fitting& replicas) {
  const auto& [asked, fitting] = replicas;
  if (asked == 0) return "No node should run a pod of the DaemonSet.\n";
  return fitting == asked ? fmt::format("This is the first of {} pods. All of them fit.\n", asked)
                          : fmt::format("This is the first of {} pods. {} of them fit.\n", asked,
                                        fitting == 0 ? std::string("None") : fmt::to_string(fitting));
}

}  // namespace

explain::Report report_of(const PodResult& result, const cluster::Snapshot& snapshot) {
  const auto& decision = result.decision;
  const auto& pod = result.pod->pod;
  explain::Report report{.ns = pod->meta.namespace_, .pod = pod->meta.name, .is_question = true};
  auto& status = report.status;
  if (decision.pre_enqueue) {
    status = explain::project_gated(*result.pod, *decision.pre_enqueue);
  } else {
    status = explain::project(*result.pod, decision, snapshot);
    status.outcome = !decision.error.empty() ? explain::kFailed : decision.fits() ? "Fits" : "DoesNotFit";
  }
  status.profile = result.profile;
  render::make_printable(report);
  return report;
}

std::string to_table(const std::vector<PlacedPod>& pods) {
  std::vector<Cells> rows{{"POD", "NODE", "SCORE", "FEASIBLE"}};
  std::map<std::string, std::size_t> reasons;
  std::size_t placed = 0;
  for (const auto& pod : pods) {
    rows.push_back({pod.pod, pod.node.empty() ? "-" : pod.node, pod.score ? fmt::to_string(*pod.score) : "-",
                    fmt::to_string(pod.feasible)});
    if (pod.node.empty())
      ++reasons[render::printable(pod.message)];
    else
      ++placed;
  }
  auto text = render::table(rows, {Align::left, Align::left, Align::right}) +
              fmt::format("\n{} of {} pods are placed\n", placed, pods.size());
  for (const auto& [reason, count] : reasons) text += fmt::format("{} not: {}\n", count, reason);
  return text;
}

std::string to_table(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot,
                     const render::Options& options) {
  std::string text;
  for (const auto& result : results) {
    if (!text.empty()) text += "\n";
    text += render::why(report_of(result, snapshot), result.pod->pod->full_name(), options);
    if (result.replicas) text += replicas_line(*result.replicas);
  }
  return text;
}

}  // namespace podium::evaluate
