#include "app/evaluate/table.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "app/render/text.h"
#include "app/render/what_if.h"
#include "base/counted.h"
#include "base/similar.h"
#include "explain/report/json.h"
#include "explain/report/project.h"
#include "explain/report/report_labels.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::evaluate {
namespace {

namespace json = boost::json;
using render::Align;
using render::Cells;

bool decision_failed(const explain::ReportStatus& status) {
  return status.outcome == explain::kFailed || status.outcome == explain::kGated;
}

std::string replicas_line(const explain::Report& report, bool is_daemon_set, const render::Options& options) {
  const auto& answer = render::answer_of(report);
  if (answer.asked == 0)
    return is_daemon_set ? "No node should run a pod of the DaemonSet.\n"
                         : "It is scaled to 0: no pod is evaluated.\n";
  if (report.status.outcome == explain::kGated)
    return fmt::format("This is the first of {} pods, which all wait for it.\n", answer.asked);
  return fmt::format("This is the first of {} pods: {}.\n", answer.asked,
                     render::verdict(answer, options.style)) +
         render::quota_lines(report);
}

explain::Report report_of(const PodResult& result, const cluster::Snapshot& snapshot) {
  const auto& pod = result.pod->pod;
  explain::Report report{.ns = pod->meta.namespace_, .pod = pod->meta.name, .is_question = true};
  report.status = status_of(result, snapshot);
  render::make_printable(report);
  return report;
}

constexpr std::size_t kPlaces = 4, kReasons = 10;

using Counts = std::map<std::string, std::size_t>;

// Sorts by number, the largest first.
std::vector<std::pair<std::string, std::size_t>> sorted(const Counts& counts) {
  std::vector<std::pair<std::string, std::size_t>> out(counts.begin(), counts.end());
  std::ranges::stable_sort(out, std::ranges::greater(), [](const auto& each) { return each.second; });
  return out;
}

struct Group {
  std::size_t asked = 0, placed = 0;
  Counts zones, nodes, reasons;
};

// "eu-1a 34, eu-1b 33"; if the nodes have no zones, their number.
std::string where(const Group& group) {
  if (group.placed == 0) return "-";
  if (group.zones.empty()) return counted(group.nodes.size(), "node");
  std::vector<std::string> zones;
  for (const auto& [zone, count] : sorted(group.zones)) zones.push_back(fmt::format("{} {}", zone, count));
  return listed(zones, kPlaces, zones.size());
}

// "2 are not placed: nodes do not have enough free cpu"
std::string not_placed(std::size_t count, const std::string& why) {
  return fmt::format("{} {} not placed: {}\n", count, count == 1 ? "is" : "are", why);
}

std::string every_pod(const std::vector<PlacedPod>& pods) {
  std::vector<Cells> rows{{"POD", "NODE", "SCORE", "FEASIBLE"}};
  Counts messages;
  for (const auto& pod : pods) {
    rows.push_back({render::printable(pod.pod), pod.node.empty() ? "-" : render::printable(pod.node),
                    pod.score ? fmt::to_string(*pod.score) : "-", fmt::to_string(pod.feasible)});
    if (pod.node.empty()) ++messages[render::printable(pod.message)];
  }
  auto text = render::table(rows, {Align::left, Align::left, Align::right}) + "\n";
  for (const auto& [message, count] : messages) text += not_placed(count, message);
  return text;
}

std::string by_workload(const std::vector<PlacedPod>& pods) {
  std::map<std::string, Group> groups;
  Counts reasons;
  for (const auto& pod : pods) {
    auto& group = groups[render::printable(pod.workload)];
    ++group.asked;
    if (pod.node.empty()) {
      ++group.reasons[render::printable(pod.reason)];
      ++reasons[render::printable(pod.reason)];
      continue;
    }
    ++group.placed;
    ++group.nodes[pod.node];
    if (!pod.zone.empty()) ++group.zones[render::printable(pod.zone)];
  }
  std::vector<Cells> rows{{"WORKLOAD", "PODS", "PLACED", "WHERE"}};
  if (!reasons.empty()) rows.front().emplace_back("WHY NOT THE OTHERS");
  for (const auto& [name, group] : groups) {
    rows.push_back({name, fmt::to_string(group.asked), fmt::to_string(group.placed), where(group)});
    if (!group.reasons.empty()) rows.back().push_back(sorted(group.reasons).front().first);
  }
  auto text = render::table(rows, {Align::left, Align::right, Align::right, Align::left});
  if (!reasons.empty()) text += "\n";
  const auto list = sorted(reasons);
  for (std::size_t i = 0; i < std::min(list.size(), kReasons); ++i)
    text += not_placed(list[i].second, list[i].first);
  if (list.size() > kReasons)
    text += fmt::format("and {}: -o wide\n", counted(list.size() - kReasons, "more reason"));
  return text;
}

}  // namespace

explain::ReportAnswer answer_of(const PodResult& result) {
  explain::ReportAnswer answer;
  const auto fitting = result.replicas.value_or(Fitting{1, result.decision.fits() ? 1u : 0u});
  answer.asked = fitting.asked;
  answer.fitting = fitting.fitting;
  explain::set_quotas(answer, result.quotas);
  answer.not_modelled = result.not_modelled;
  return answer;
}

explain::ReportStatus status_of(const PodResult& result, const cluster::Snapshot& snapshot) {
  const auto& decision = result.decision;
  explain::ReportStatus status;
  if (decision.pre_enqueue) {
    status = explain::project_gated(*result.pod, *decision.pre_enqueue);
  } else {
    status = explain::project(*result.pod, decision, snapshot);
    status.outcome = !decision.error.empty() ? explain::kFailed : decision.fits() ? "Fits" : "DoesNotFit";
  }
  status.profile = result.profile;
  status.answer = answer_of(result);
  return status;
}

json::object report_json(const PodResult& result, const cluster::Snapshot& snapshot) {
  const auto& meta = result.pod->pod->meta;
  auto status = status_of(result, snapshot);
  const auto& answer = *status.answer;
  const auto running = explain::running(answer);
  if (!decision_failed(status))
    status.outcome = running == answer.asked && running > 0 ? "Fits"
                     : running > 0                          ? "PartlyFits"
                                                            : "DoesNotFit";
  return {{"apiVersion", explain::kReportVersion},
          {"kind", explain::kReportKind},
          {"metadata", json::object{{"name", meta.name}, {"namespace", meta.namespace_}}},
          {"spec", json::object{{"dryRun", true}}},
          {"status", explain::to_json(status)}};
}

std::string to_table(const std::vector<PlacedPod>& pods, bool wide) {
  const auto placed = std::ranges::count_if(pods, [](const auto& pod) { return !pod.node.empty(); });
  const auto line = fmt::format("{} of {} pods are placed\n", placed, pods.size());
  return wide ? every_pod(pods) + line : line + by_workload(pods);
}

std::string to_table(const PodResult& result, const cluster::Snapshot& snapshot,
                     const render::Options& options) {
  const auto report = report_of(result, snapshot);
  const auto name = render::printable(result.pod->pod->full_name());
  const bool is_one = render::answer_of(report).asked == 1;
  return (is_one ? render::one_pod(report, name, options)
                 : render::why(report, name, options) +
                       replicas_line(report, result.replicas->is_of_daemon_set, options)) +
         render::printable_lines(render::not_modelled_line(result.not_modelled));
}

std::string to_table(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot,
                     const render::Options& options) {
  std::string text;
  for (const auto& result : results) text += (text.empty() ? "" : "\n") + to_table(result, snapshot, options);
  return text;
}

}  // namespace podium::evaluate
