// Summaries of a Decision for reports and messages: the best nodes, and reasons with their node counts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/score_loops.h"

namespace podium::framework {
namespace {

using cluster::kChunkRows;
using cluster::kChunkWords;

// Returns the lowest value of the best `limit` feasible rows. Values of other rows are 0.
template <typename T>
T cut_of(std::span<const T> values, std::size_t limit) {
  T high = largest(values);
  if (high == 0 || count_at_least(values, high) >= limit) return high;
  T low = 0;  // invariant: enough rows are >= low, too few are >= high
  while (high - low > 1) {
    const T middle = low + (high - low) / 2;
    if (count_at_least(values, middle) >= limit)
      low = middle;
    else
      high = middle;
  }
  return low;
}

template <typename T>
NodeMask rows_at_least(std::span<const T> values, T least, const NodeMask& among) {
  NodeMask rows = among;
  for (std::size_t chunk = 0; chunk * kChunkRows < values.size(); ++chunk) {
    const auto words = at_least(values.subspan(chunk * kChunkRows).template first<kChunkRows>(), least);
    for (std::size_t w = 0; w < kChunkWords; ++w) rows.word(chunk * kChunkWords + w) &= words[w];
  }
  return rows;
}

// The first `wanted` rows of the mask by name. Sorts few rows; for many, a walk over all names finds the
// first ones soon.
std::vector<Row> first_by_name(const NodeMask& rows, std::size_t wanted, const Snapshot& snapshot) {
  constexpr std::size_t kFew = 64;
  std::vector<Row> first;
  if (rows.count() <= kFew) {
    rows.each([&](Row row) { first.push_back(row); });
    std::ranges::sort(first, {}, [&](Row row) { return snapshot.node_name(row); });
    first.resize(std::min(wanted, first.size()));
    return first;
  }
  for (const Row row : snapshot.rows_by_name()) {
    if (first.size() == wanted) break;
    if (rows.test(row)) first.push_back(row);
  }
  return first;
}

template <typename T>
std::vector<Ranked> top(std::span<const T> values, const Decision& decision, const Snapshot& snapshot,
                        std::size_t limit) {
  limit = std::min(limit, decision.feasible.count());
  if (limit == 0) return {};
  const T cut = cut_of(values, limit);
  const auto listed = rows_at_least(values, cut, decision.feasible);
  NodeMask above = listed;
  if (cut < std::numeric_limits<T>::max()) above = rows_at_least(values, static_cast<T>(cut + 1), listed);

  std::vector<Ranked> best;
  best.reserve(limit);
  above.each([&](Row row) { best.push_back({row, values[row]}); });
  std::ranges::sort(best, [&](const Ranked& a, const Ranked& b) {
    return a.score != b.score ? a.score > b.score : snapshot.node_name(a.row) < snapshot.node_name(b.row);
  });
  NodeMask ties = listed;
  for (std::size_t w = 0; w < ties.words(); ++w) ties.word(w) &= ~above.word(w);
  for (const Row row : first_by_name(ties, limit - best.size(), snapshot)) best.push_back({row, cut});
  return best;
}

// The same for arbitrary values, such as an extender's. Walks all nodes by name, so ties keep that order.
template <typename ScoreOf>
std::vector<Ranked> top_by_walk(const Decision& decision, const Snapshot& snapshot, std::size_t limit,
                                ScoreOf score_of) {
  std::vector<Ranked> best;
  if (limit == 0) return best;
  for (const Row row : snapshot.rows_by_name()) {
    if (!decision.feasible.test(row)) continue;
    const std::int64_t score = score_of(row);
    if (best.size() == limit) {
      if (score <= best.back().score) continue;
      best.pop_back();
    }
    best.insert(std::ranges::upper_bound(best, score, std::greater(), &Ranked::score), {row, score});
  }
  return best;
}

// The number of nodes with each verdict; index is VerdictId - 1.
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
  if (decision.scored_by_extenders()) {
    return top_by_walk(decision, snapshot, limit, [&](Row row) { return decision.total[row]; });
  }
  return top(std::span<const std::int64_t>(decision.total), decision, snapshot, limit);
}

std::vector<Ranked> top_of(const Strategy& strategy, const Decision& decision, const Snapshot& snapshot,
                           std::size_t limit) {
  if (!strategy.wide.empty()) {
    return top_by_walk(decision, snapshot, limit, [&](Row row) { return strategy.at(row); });
  }
  return top(std::span<const std::uint8_t>(strategy.score), decision, snapshot, limit);
}

std::optional<Lead> lead_of(const Decision& decision, std::span<const Ranked> best) {
  if (!decision.choice || decision.total.empty()) return std::nullopt;
  const std::span<const std::int64_t> totals(decision.total);
  const auto chosen = totals[*decision.choice];
  Lead lead;
  if (!best.empty() && best.back().score < chosen) {
    lead.tied = static_cast<std::size_t>(std::ranges::count(best, chosen, &Ranked::score));
    lead.margin =
        chosen - std::ranges::find_if(best, [&](const auto& one) { return one.score < chosen; })->score;
    return lead;
  }
  if (chosen > 0 && !decision.scored_by_extenders()) {
    // Rows that are not feasible have 0.
    const auto reached = count_at_least(totals, chosen);
    lead.tied = reached - count_at_least(totals, chosen + 1);
    std::int64_t lower = 0;
    for (const auto total : totals) lower = std::max(lower, total < chosen ? total : 0);
    if (decision.feasible.count() > reached) lead.margin = chosen - lower;
    return lead;
  }
  lead.tied = 0;
  std::optional<std::int64_t> lower;
  decision.feasible.each([&](Row row) {
    if (totals[row] == chosen) ++lead.tied;
    if (totals[row] < chosen) lower = std::max(lower.value_or(totals[row]), totals[row]);
  });
  if (lower) lead.margin = chosen - *lower;
  return lead;
}

std::optional<Ranked> winner_without(const Strategy& strategy, const Decision& decision,
                                     const Snapshot& snapshot) {
  // A nominated node need not be the best.
  if (!decision.choice || decision.total.empty() || !decision.nominated_node.empty()) return std::nullopt;
  const auto rest = [&](Row row) { return decision.total[row] - strategy.weight * strategy.at(row); };
  const auto chosen = rest(*decision.choice);
  // Rows that are not feasible have 0 without extenders, so they cannot have more than the choice.
  if (!decision.scored_by_extenders() &&
      largest_without(decision.total, {strategy.score.data(), strategy.weight}) <= chosen) {
    return std::nullopt;
  }
  std::optional<Ranked> winner;
  decision.feasible.each([&](Row row) {
    const auto lead = rest(row) - chosen;
    if (lead <= 0 || (winner && lead < winner->score)) return;
    if (!winner || lead > winner->score || snapshot.node_name(row) < snapshot.node_name(winner->row))
      winner = Ranked{row, lead};
  });
  return winner;
}

std::vector<RejectionGroup> group_rejections(const Decision& decision, const Snapshot& snapshot,
                                             std::size_t examples) {
  std::map<std::pair<std::string, std::string>, RejectionGroup> groups;
  if (decision.rejections.verdicts().empty()) return {};
  std::vector<std::vector<RejectionGroup*>> of_verdict;
  for (const auto& verdict : decision.rejections.verdicts()) {
    auto& list = of_verdict.emplace_back();
    for (const auto& reason : verdict.reasons) {
      auto& group = groups[{verdict.plugin, reason.text}];
      group.plugin = verdict.plugin;
      group.reason = reason;
      list.push_back(&group);
    }
  }
  const auto counts = count_verdicts(decision, snapshot);
  std::size_t missing = 0;  // examples still to find
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool may_help = counts[i] > 0 && decision.rejections.verdicts()[i].code == Code::unschedulable;
    for (auto* group : of_verdict[i]) {
      group->nodes += counts[i];
      group->preemption_may_help |= may_help;
    }
  }
  for (const auto& [_, group] : groups) missing += std::min(group.nodes, examples);
  for (const Row row : snapshot.rows_by_name()) {
    if (missing == 0) break;
    const auto id = decision.rejections.id(row);
    if (id == kFits) continue;
    for (auto* group : of_verdict[id - 1]) {
      if (group->examples.size() == examples) continue;
      group->examples.emplace_back(snapshot.node_name(row));
      --missing;
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
  std::sort(lines.begin(), lines.end());  // upstream also sorts the text
  auto text = fmt::format("0/{} nodes are available:", nodes);
  if (!lines.empty()) text += fmt::format(" {}.", fmt::join(lines, ", "));
  return text;
}

std::string fit_error(const Decision& decision, const Snapshot& snapshot,
                      std::string_view post_filter_message) {
  std::string text;
  if (decision.pre_filter) {
    text = fmt::format("0/{} nodes are available: {}.", decision.node_count, message(*decision.pre_filter));
  } else {
    std::map<std::string_view, std::size_t> nodes_with;
    const auto counts = count_verdicts(decision, snapshot);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (const auto& reason : decision.rejections.verdicts()[i].reasons)
        nodes_with[reason.text] += counts[i];
    }
    text = fit_error(decision.node_count, nodes_with);
  }
  if (!post_filter_message.empty()) text += fmt::format(" {}", post_filter_message);
  return text;
}

}  // namespace podium::framework
