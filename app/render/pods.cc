#include "app/render/pods.h"

#include <fmt/format.h>

#include <algorithm>

namespace podium::render {
namespace {

std::string points_of(const PodLine& line) {
  if (!line.report || !line.report->status.choice || !line.report->status.choice->score) return "-";
  return fmt::to_string(*line.report->status.choice->score);
}

std::string decided(const PodLine& line, const Options& options) {
  if (!line.report || !line.report->status.decided_at || options.now < *line.report->status.decided_at)
    return "-";
  return age(std::chrono::duration_cast<std::chrono::seconds>(options.now - *line.report->status.decided_at));
}

std::string why_there(const PodLine& line, const Options& options) {
  if (!line.fate.empty()) return line.fate;
  if (line.pod) {
    auto pod = *line.pod;
    pod.report = line.report;
    return blocked_by(pod);
  }
  if (!line.report && line.node.empty()) return "it has ended";
  if (!line.report) return options.flags.empty() ? "no podium report" : "a dump does not say why";
  const auto& status = line.report->status;
  if (!status.choice) return status.message.empty() ? status.outcome : status.message;
  return fmt::format(
      "{} of {} {}{}", status.node_counts.feasible, counted(status.node_counts.total, "node"),
      fit(status.node_counts.feasible),
      status.choice->tied_nodes > 1 ? fmt::format("; {} have these points", status.choice->tied_nodes) : "");
}

}  // namespace

std::string pods_table(std::vector<PodLine> pods, const Options& options) {
  std::vector<Cells> rows{{"POD", "NODE", "POINTS", "DECIDED", "WHY"}};
  for (const auto& line : pods) {
    rows.push_back({line.subject, line.node.empty() ? "-" : line.node, points_of(line),
                    decided(line, options), why_there(line, options)});
  }
  constexpr std::size_t kWhy = 4, kNode = 1, kLeast = 16;
  return table(rows, {Align::left, Align::left, Align::right, Align::right, Align::left}, 0,
               {options.columns, {{kWhy, kLeast}, {kNode, kLeast}, {0, kLeast}}});
}

}  // namespace podium::render
