#include "app/render/scores.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <numeric>

#include "app/render/text.h"
#include "app/render/words.h"

namespace podium::render {
namespace {

// The first node with a lower score than the chosen one; end: the report has none.
std::size_t first_lower(const Report& report) {
  const auto lower = std::ranges::find_if(report.status.top_nodes, [&](const explain::TopNode& node) {
    return node.score < report.status.top_nodes.front().score;
  });
  return static_cast<std::size_t>(lower - report.status.top_nodes.begin());
}

// A column: a node, and how many others have the same points from each strategy.
struct Column {
  std::size_t node, others = 0;
};

// Nodes that are equal to an earlier one share its column.
std::vector<Column> columns_of(const Report& report, bool all) {
  const auto& nodes = report.status.top_nodes;
  std::vector<Column> out;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto same = std::ranges::find_if(out, [&](const Column& column) {
      return nodes[column.node].strategy_scores == nodes[n].strategy_scores;
    });
    if (all || same == out.end())
      out.push_back({n});
    else
      ++same->others;
  }
  if (all) return out;
  // The report has at most ten nodes, and the number of nodes that are equal to the choice.
  const auto tied = report.status.choice ? report.status.choice->tied_nodes : 0;
  const auto of_top = std::ranges::count_if(
      out, [&](const Column& column) { return nodes[column.node].score == nodes.front().score; });
  if (of_top == 1 && tied > out.front().others + 1) out.front().others = tied - 1;
  return out;
}

std::vector<Column> shown_columns(const Report& report, std::size_t most, bool is_all) {
  const auto all = columns_of(report, is_all);
  auto shown = all;
  shown.resize(std::min(std::max<std::size_t>(most, 1), all.size()));
  const auto lower = first_lower(report);
  const auto is_shown = std::ranges::find(shown, lower, &Column::node) != shown.end();
  const auto column = std::ranges::find(all, lower, &Column::node);
  if (column != all.end() && !is_shown) shown.back() = *column;
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

bool has_all_nodes(const Report& report) {
  return report.status.top_nodes.size() == report.status.node_counts.feasible;
}

// How many of the report's nodes would share the most points if the strategy did not count, the chosen one
// among them. 0: no node that has fewer points would, or the chosen node is not the best.
std::size_t tied_without(const Report& report, std::size_t strategy) {
  const auto& nodes = report.status.top_nodes;
  if (!report.status.choice || !has_scores(report) || nodes.front().node != report.status.choice->node)
    return 0;
  const auto rest = [&](const explain::TopNode& node) {
    return node.score - report.status.strategies[strategy].weight * node.strategy_scores[strategy];
  };
  const auto& chosen = nodes.front();
  std::size_t tied = 0, with_fewer = 0;
  for (const auto& node : nodes) {
    if (node.score > chosen.score || rest(node) > rest(chosen)) return 0;
    if (rest(node) != rest(chosen)) continue;
    ++tied;
    if (node.score < chosen.score) ++with_fewer;
  }
  return with_fewer > 0 ? tied : 0;
}

std::string weighted(const explain::ReportStrategy& strategy, std::int64_t score) {
  if (strategy.weight == 1) return fmt::to_string(score);
  return fmt::format("{}×{}={}", strategy.weight, score, strategy.weight * score);
}

}  // namespace

std::string score_table(const Report& report, std::size_t columns, bool all) {
  if (!has_scores(report)) return {};
  const auto shown = shown_columns(report, columns, all);
  std::vector<Cells> rows{{""}};
  for (const auto& [n, others] : shown) {
    const auto& node = report.status.top_nodes[n].node;
    const bool is_chosen = report.status.choice && node == report.status.choice->node;
    rows.front().push_back(
        fmt::format("{}{}{}", node, is_chosen ? "*" : "", others ? fmt::format(" +{}", others) : ""));
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
    for (const auto& [n, others] : shown) {
      const auto score = report.status.top_nodes[n].strategy_scores[s];
      row.push_back(row.size() == 1 ? weighted(strategy, score) : fmt::to_string(strategy.weight * score));
    }
  }
  if (!equal.empty()) {
    auto& row = rows.emplace_back(Cells{"equal on all of these"});
    row.resize(shown.size() + 1, fmt::to_string(equal_points));
  }
  auto& total = rows.emplace_back(Cells{"total"});
  for (const auto& [n, others] : shown) total.push_back(fmt::to_string(report.status.top_nodes[n].score));
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

std::string decided_by(const Report& report) {
  std::string out;
  for (std::size_t s = 0; s < report.status.strategies.size(); ++s) {
    const auto& strategy = report.status.strategies[s];
    if (strategy.without)
      out += fmt::format("Decided by {}: without it, {} would lead by {}.\n", strategy_words(strategy.name),
                         strategy.without->node, strategy.without->lead);
    else if (const auto tied = tied_without(report, s); tied > 0)
      out += fmt::format("Decided by {}: without it, {}{} nodes would tie.\n", strategy_words(strategy.name),
                         has_all_nodes(report) ? "" : "at least ", tied);
  }
  return out;
}

}  // namespace podium::render
