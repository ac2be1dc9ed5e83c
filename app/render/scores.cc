#include "app/render/scores.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <numeric>

#include "app/render/text.h"
#include "app/render/words.h"

namespace podium::render {
namespace {

// The first node with a lower score than the chosen one; end: none is in the report.
std::size_t first_lower(const Report& report) {
  const auto lower = std::ranges::find_if(report.status.top_nodes, [&](const explain::TopNode& node) {
    return node.score < report.status.top_nodes.front().score;
  });
  return static_cast<std::size_t>(lower - report.status.top_nodes.begin());
}

std::vector<std::size_t> shown_nodes(const Report& report, std::size_t columns) {
  std::vector<std::size_t> shown(std::min(std::max<std::size_t>(columns, 1), report.status.top_nodes.size()));
  std::iota(shown.begin(), shown.end(), 0);
  if (const auto lower = first_lower(report);
      lower < report.status.top_nodes.size() && lower > shown.back()) {
    shown.back() = lower;
  }
  return shown;
}

bool has_scores(const Report& report) {
  return !report.status.top_nodes.empty() && !report.status.strategies.empty() &&
         std::ranges::all_of(report.status.top_nodes, [&](const explain::TopNode& node) {
           return node.strategy_scores.size() == report.status.strategies.size();
         });
}

bool is_equal_on_all(const Report& report, std::size_t strategy) {
  return std::ranges::all_of(report.status.top_nodes, [&](const explain::TopNode& node) {
    return node.strategy_scores[strategy] == report.status.top_nodes.front().strategy_scores[strategy];
  });
}

std::string weighted(const explain::ReportStrategy& strategy, std::int64_t score) {
  if (strategy.weight == 1) return fmt::to_string(score);
  return fmt::format("{}×{}={}", strategy.weight, score, strategy.weight * score);
}

}  // namespace

std::string score_table(const Report& report, std::size_t columns) {
  if (!has_scores(report)) return {};
  const auto shown = shown_nodes(report, columns);
  std::vector<Cells> rows{{""}};
  for (const auto n : shown) {
    const auto& node = report.status.top_nodes[n].node;
    rows.front().push_back(report.status.choice && node == report.status.choice->node ? node + "*" : node);
  }
  std::int64_t equal_points = 0;
  std::vector<std::string> equal;
  for (std::size_t s = 0; s < report.status.strategies.size(); ++s) {
    const auto& strategy = report.status.strategies[s];
    const auto first = report.status.top_nodes.front().strategy_scores[s];
    if (report.status.top_nodes.size() > 1 && is_equal_on_all(report, s)) {
      equal_points += strategy.weight * first;
      equal.push_back(fmt::format("{} {}", strategy_words(strategy.name), weighted(strategy, first)));
      continue;
    }
    auto& row = rows.emplace_back(Cells{strategy_words(strategy.name)});
    for (const auto n : shown) {
      const auto score = report.status.top_nodes[n].strategy_scores[s];
      row.push_back(row.size() == 1 ? weighted(strategy, score) : fmt::to_string(strategy.weight * score));
    }
  }
  if (!equal.empty()) {
    auto& row = rows.emplace_back(Cells{"equal on all of these"});
    row.resize(shown.size() + 1, fmt::to_string(equal_points));
  }
  auto& total = rows.emplace_back(Cells{"total"});
  for (const auto n : shown) total.push_back(fmt::to_string(report.status.top_nodes[n].score));
  auto out = table(rows, {Align::left, Align::right});
  if (!equal.empty()) out += fmt::format("Equal on all of these: {}.\n", fmt::join(equal, ", "));
  return out;
}

std::string lead(const Report& report) {
  if (!report.status.choice || !report.status.choice->margin) return {};
  const auto margin = *report.status.choice->margin;
  const auto lower = report.status.top_nodes.empty() ? 0 : first_lower(report);
  if (!has_scores(report) || lower >= report.status.top_nodes.size()) {
    return fmt::format("Lead over the best node with fewer points: {}.", margin);
  }
  const auto &chosen = report.status.top_nodes.front(), &other = report.status.top_nodes[lower];
  std::vector<std::string> reasons;
  for (std::size_t s = 0; s < report.status.strategies.size(); ++s) {
    const auto& strategy = report.status.strategies[s];
    const auto points = strategy.weight * (chosen.strategy_scores[s] - other.strategy_scores[s]);
    if (points != 0) reasons.push_back(fmt::format("{} {:+}", strategy_words(strategy.name), points));
  }
  return fmt::format("Lead over {}, the best with fewer points: {} ({}).", other.node, margin,
                     fmt::join(reasons, ", "));
}

}  // namespace podium::render
