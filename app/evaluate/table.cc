#include "app/evaluate/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>

namespace podium::evaluate {
namespace {

constexpr std::size_t kNodes = 10, kExamples = 3;

using Cells = std::vector<std::string>;

// Pads columns to their widest cell; the first `text_columns` are left-aligned, the others right-aligned.
std::string align(const std::vector<Cells>& rows, std::size_t text_columns) {
  std::vector<std::size_t> width(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c < text_columns ? fmt::format(" {:<{}}", row[c], width[c] + 1)
                               : fmt::format(" {:>{}} ", row[c], width[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

// "NodeResourcesFit*2" for a strategy of weight 2.
std::string heading(const framework::Strategy& strategy) {
  return strategy.weight == 1 ? strategy.name : fmt::format("{}*{}", strategy.name, strategy.weight);
}

std::string best_nodes(const framework::Decision& decision, const cluster::Snapshot& snapshot) {
  std::vector<Cells> rows{{"NODE", "SCORE"}};
  for (const auto& strategy : decision.strategies) rows.front().push_back(heading(strategy));
  for (const auto& [row, score] : framework::top_total(decision, snapshot, kNodes)) {
    auto& cells = rows.emplace_back(Cells{std::string(snapshot.node_name(row)), fmt::to_string(score)});
    for (const auto& strategy : decision.strategies) cells.push_back(fmt::to_string(strategy.at(row)));
  }
  return align(rows, 1);
}

std::string rejections(const framework::Decision& decision, const cluster::Snapshot& snapshot) {
  const auto groups = framework::group_rejections(decision, snapshot, kExamples);
  if (groups.empty()) return {};
  std::vector<Cells> rows{{"NODES", "REJECTED BY", "REASON", "FOR EXAMPLE"}};
  for (const auto& group : groups) {
    rows.push_back({fmt::to_string(group.nodes), group.plugin.empty() ? "-" : group.plugin, group.reason,
                    fmt::format("{}", fmt::join(group.examples, ", "))});
  }
  return "\n" + align(rows, 4);
}

std::string outcome(const framework::Decision& decision, const cluster::Snapshot& snapshot) {
  if (!decision.error.empty()) return "failed: " + decision.error;
  if (!decision.fits()) return decision.message;
  const auto part = decision.evaluated == decision.node_count
                        ? std::string()
                        : fmt::format(" evaluated, of {}", decision.node_count);
  return fmt::format("fits {} of {} nodes{}; goes to {}", decision.feasible.count(), decision.evaluated, part,
                     snapshot.node_name(*decision.choice));
}

std::string one_pod(const PodResult& result, const cluster::Snapshot& snapshot) {
  const auto& decision = result.decision;
  auto text =
      fmt::format("{} ({}): {}\n", result.pod->pod->full_name(), result.profile, outcome(decision, snapshot));
  if (decision.preemption) {
    std::vector<std::string> victims;
    for (const auto& victim : decision.preemption->victims) victims.push_back(victim->pod->full_name());
    text +=
        fmt::format("preemption on {} would evict {}\n", decision.preemption->node, fmt::join(victims, ", "));
  }
  if (!decision.total.empty()) text += "\n" + best_nodes(decision, snapshot);
  return text + rejections(decision, snapshot);
}

}  // namespace

std::string to_table(const std::vector<PlacedPod>& pods) {
  std::vector<Cells> rows{{"POD", "NODE", "SCORE", "FEASIBLE"}};
  std::map<std::string, std::size_t> reasons;
  std::size_t placed = 0;
  for (const auto& pod : pods) {
    rows.push_back({pod.pod, pod.node.empty() ? "-" : pod.node, pod.score ? fmt::to_string(*pod.score) : "-",
                    fmt::to_string(pod.feasible)});
    if (pod.node.empty())
      ++reasons[pod.message];
    else
      ++placed;
  }
  auto text = align(rows, 2) + fmt::format("\n{} of {} pods are placed\n", placed, pods.size());
  for (const auto& [reason, count] : reasons) text += fmt::format("{} not: {}\n", count, reason);
  return text;
}

std::string to_table(const std::vector<PodResult>& results, const cluster::Snapshot& snapshot) {
  std::string text;
  for (const auto& result : results) {
    if (!text.empty()) text += "\n";
    text += one_pod(result, snapshot);
  }
  return text;
}

}  // namespace podium::evaluate
