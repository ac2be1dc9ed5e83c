// Lists for people, out of a Decision: the best nodes, the reasons and how many nodes have each.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "scheduler/framework/decision.h"

namespace podium::framework {
namespace {

// Walks the nodes by name, so that of equals the first stays ahead without comparing names.
template <typename Score>
std::vector<Ranked> top(const Decision& decision, const Snapshot& snapshot, std::size_t limit, Score score_of) {
  std::vector<Ranked> best;
  if (limit == 0 || decision.feasible.words() == 0) return best;
  for (const Row row : snapshot.rows_by_name()) {
    if (!decision.feasible.test(row)) continue;
    const std::int64_t score = score_of(row);
    if (best.size() == limit) {
      if (score <= best.back().score) continue;
      best.pop_back();
    }
    const auto place = std::upper_bound(best.begin(), best.end(), score,
                                        [](std::int64_t s, const Ranked& r) { return s > r.score; });
    best.insert(place, {row, score});
  }
  return best;
}

// How many nodes have each verdict; index is VerdictId - 1.
std::vector<std::size_t> count_verdicts(const Decision& decision, const Snapshot& snapshot) {
  std::vector<std::size_t> counts(decision.rejections.verdicts().size());
  if (counts.empty()) return counts;
  snapshot.present().each([&](Row row) {
    if (const auto id = decision.rejections.id(row); id != kFits) ++counts[id - 1];
  });
  return counts;
}

}  // namespace

std::vector<Ranked> top_total(const Decision& decision, const Snapshot& snapshot, std::size_t limit) {
  if (decision.total.empty()) return {};
  return top(decision, snapshot, limit, [&](Row row) { return decision.total[row]; });
}

std::vector<Ranked> top_of(const Strategy& strategy, const Decision& decision, const Snapshot& snapshot,
                           std::size_t limit) {
  return top(decision, snapshot, limit, [&](Row row) { return strategy.score[row]; });
}

std::vector<RejectionGroup> group_rejections(const Decision& decision, const Snapshot& snapshot, std::size_t examples) {
  std::map<std::pair<std::string, std::string>, RejectionGroup> groups;
  if (decision.rejections.verdicts().empty()) return {};
  std::vector<std::vector<RejectionGroup*>> of_verdict;
  for (const auto& verdict : decision.rejections.verdicts()) {
    auto& list = of_verdict.emplace_back();
    for (const auto& reason : verdict.reasons) {
      auto& group = groups[{verdict.plugin, reason}];
      group.plugin = verdict.plugin;
      group.reason = reason;
      list.push_back(&group);
    }
  }
  for (const Row row : snapshot.rows_by_name()) {
    const auto id = decision.rejections.id(row);
    if (id == kFits) continue;
    for (auto* group : of_verdict[id - 1]) {
      ++group->nodes;
      if (group->examples.size() < examples) group->examples.emplace_back(snapshot.node_name(row));
    }
  }
  std::vector<RejectionGroup> out;
  for (auto& [_, group] : groups) {
    if (group.nodes > 0) out.push_back(std::move(group));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  return out;
}

std::string fit_error(std::size_t nodes, const std::map<std::string_view, std::size_t>& nodes_with) {
  std::vector<std::string> lines;
  for (const auto& [reason, count] : nodes_with) {
    if (count > 0) lines.push_back(fmt::format("{} {}", count, reason));
  }
  std::sort(lines.begin(), lines.end());  // as text: upstream's order
  auto text = fmt::format("0/{} nodes are available:", nodes);
  if (!lines.empty()) text += fmt::format(" {}.", fmt::join(lines, ", "));
  return text;
}

std::string fit_error(const Decision& decision, const Snapshot& snapshot, std::string_view post_filter_message) {
  std::string text;
  if (decision.pre_filter) {
    text = fmt::format("0/{} nodes are available: {}.", decision.node_count, message(*decision.pre_filter));
  } else {
    std::map<std::string_view, std::size_t> nodes_with;
    const auto counts = count_verdicts(decision, snapshot);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (const auto& reason : decision.rejections.verdicts()[i].reasons) nodes_with[reason] += counts[i];
    }
    text = fit_error(decision.node_count, nodes_with);
  }
  if (!post_filter_message.empty()) text += fmt::format(" {}", post_filter_message);
  return text;
}

}  // namespace podium::framework
