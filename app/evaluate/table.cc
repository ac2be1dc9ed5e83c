#include "app/evaluate/table.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "app/render/text.h"
#include "scheduler/plugins/node_resources/shortfall.h"
#include "scheduler/plugins/reason_codes.h"
#include "scheduler/plugins/shared/untolerated.h"

namespace podium::evaluate {
namespace {

using cluster::Row;
using framework::Decision;
using render::Align;
using render::Cells;

constexpr std::size_t kNodes = 10, kExamples = 3;

render::NodeScore scores_of(const Decision& decision, const cluster::Snapshot& snapshot, Row row) {
  render::NodeScore node{std::string(snapshot.node_name(row)), decision.total[row]};
  for (const auto& strategy : decision.strategies) node.strategies.push_back(strategy.at(row));
  return node;
}

// The chosen node first, whatever its ties; then by score and name.
std::vector<render::NodeScore> best_nodes(const Decision& decision, const cluster::Snapshot& snapshot) {
  std::vector<render::NodeScore> nodes{scores_of(decision, snapshot, *decision.choice)};
  for (const auto& ranked : framework::top_total(decision, snapshot, kNodes)) {
    if (ranked.row != *decision.choice && nodes.size() < kNodes) {
      nodes.push_back(scores_of(decision, snapshot, ranked.row));
    }
  }
  return nodes;
}

render::Choice choice_of(const Decision& decision, const cluster::Snapshot& snapshot) {
  render::Choice choice{.node = std::string(snapshot.node_name(*decision.choice))};
  if (const auto lead = framework::lead_of(decision)) {
    choice.score = decision.total[*decision.choice];
    choice.tied = lead->tied;
    choice.margin = lead->margin;
  }
  return choice;
}

std::vector<render::Rejection> rejections_of(const PodResult& result, const cluster::Snapshot& snapshot) {
  const auto shortfalls = plugins::shortfalls(*result.pod, result.decision, snapshot);
  std::vector<render::Rejection> out;
  for (auto& group : framework::group_rejections(result.decision, snapshot, kExamples)) {
    auto& rejection = out.emplace_back();
    const auto lacks = std::ranges::find(shortfalls, group.reason, &plugins::Shortfall::reason);
    if (group.plugin == "NodeResourcesFit" && lacks != shortfalls.end()) {
      rejection.resource = lacks->resource;
      rejection.least = lacks->least;
      rejection.nearest = lacks->node;
    }
    if (group.plugin == plugins::kTaintPlugin) {
      rejection.taints = plugins::untolerated_taints(*result.pod, result.decision, snapshot);
      rejection.taints_total = rejection.taints.size();
    }
    rejection.code = plugins::reason_code(group.plugin, group.reason);
    if (rejection.code == plugins::kInsufficientDevices) {
      for (const auto& tally : result.decision.findings.tallies) {
        rejection.devices.push_back(
            {tally.claim, tally.request, tally.matched, tally.in_use, tally.tainted, tally.too_small});
      }
    }
    rejection.plugin = std::move(group.plugin);
    rejection.reason = std::move(group.reason);
    rejection.nodes = group.nodes;
    rejection.preemption_may_help = group.preemption_may_help;
    rejection.examples = std::move(group.examples);
  }
  return out;
}

std::string replicas_line(const Fitting& replicas) {
  const auto& [asked, fitting] = replicas;
  if (asked == 0) return "No node should run a pod of the DaemonSet.\n";
  return fitting == asked ? fmt::format("This is the first of {} pods. All of them fit.\n", asked)
                          : fmt::format("This is the first of {} pods. {} of them fit.\n", asked,
                                        fitting == 0 ? std::string("None") : fmt::to_string(fitting));
}

}  // namespace

render::Report report_of(const PodResult& result, const cluster::Snapshot& snapshot) {
  const auto& decision = result.decision;
  render::Report report{.is_question = true, .complete = true, .profile = result.profile};
  report.nodes = {decision.node_count, decision.evaluated,
                  decision.feasible.words() == 0 ? 0 : decision.feasible.count()};
  report.message = render::printable(decision.error.empty() ? decision.message : decision.error);
  if (!decision.error.empty()) {
    report.outcome = "Failed";
    return report;
  }
  if (decision.pre_enqueue) {
    report.outcome = "Gated";
    report.gates = result.pod->pod->scheduling_gates;
    report.message = fmt::format("waits for {}: {}", decision.pre_enqueue->plugin, report.message);
    return report;
  }
  report.outcome = decision.fits() ? "Fits" : "DoesNotFit";
  if (decision.fits()) {
    report.choice = choice_of(decision, snapshot);
    for (const auto& strategy : decision.strategies)
      report.strategies.push_back({strategy.name, strategy.weight});
    if (!decision.total.empty()) report.top = best_nodes(decision, snapshot);
  }
  for (const auto& given : decision.findings.devices) {
    report.devices.push_back({given.claim, given.request, given.driver, given.pool, given.device});
  }
  report.devices_total = report.devices.size();
  report.rejections = rejections_of(result, snapshot);
  report.rejections_total = report.rejections.size();
  if (decision.preemption) {
    auto& eviction = report.preemption.emplace(render::Eviction{decision.preemption->node});
    for (const auto& victim : decision.preemption->victims) eviction.pods.push_back(victim->pod->full_name());
    eviction.total = eviction.pods.size();
  }
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
