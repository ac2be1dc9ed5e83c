// Summaries of a Decision for reports and messages: the best nodes, and reasons with their node counts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <type_traits>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/score_loops.h"

namespace podium::framework {
namespace {

using cluster::kChunkRows;
using cluster::kChunkWords;

template <typename Values>
auto largest(const Values& values) {
  auto most = decltype(values.summary(0).most){};
  for (std::size_t chunk = 0; chunk < values.chunks(); ++chunk)
    most = std::max(most, values.summary(chunk).most);
  return most;
}

template <typename Values, typename T>
std::size_t count_rows(const Values& values, T least) {
  std::size_t count = 0;
  for (std::size_t chunk = 0; chunk < values.chunks(); ++chunk) {
    const auto& summary = values.summary(chunk);
    if (summary.most == least) count += summary.count;
    if (summary.most > least) {
      typename Values::Chunk space;
      count += count_at_least(values.chunk(chunk, space), least);
    }
  }
  return count;
}

// The largest total of a chunk below `limit`; 0 if there is none.
std::int64_t largest_of_chunk_below(const Totals& totals, std::size_t chunk, std::int64_t limit) {
  const auto& summary = totals.summary(chunk);
  if (summary.most < limit) return summary.most;
  if (summary.most == limit) return summary.next;
  Totals::Chunk space;
  return largest_below(totals.chunk(chunk, space), limit);
}
std::uint8_t largest_of_chunk_below(const Scores& scores, std::size_t chunk, std::uint8_t limit) {
  const auto most = scores.summary(chunk).most;
  Scores::Chunk space;
  return most < limit ? most : largest_below(scores.chunk(chunk, space), limit);
}
template <typename Values, typename T>
T largest_value_below(const Values& values, T limit) {
  T most = 0;
  for (std::size_t chunk = 0; chunk < values.chunks(); ++chunk)
    most = std::max(most, largest_of_chunk_below(values, chunk, limit));
  return most;
}

// Returns the lowest value of the best `limit` feasible rows. Values of other rows are 0.
template <typename Values>
auto cut_of(const Values& values, std::size_t limit) {
  auto high = largest(values);
  using T = decltype(high);
  if (high == 0 || count_rows(values, high) >= limit) return high;
  // Often most nodes are equal but for a few.
  high = largest_value_below(values, high);
  if (high == 0 || count_rows(values, high) >= limit) return high;
  T low = 0;  // invariant: enough rows are >= low, too few are >= high
  while (high - low > 1) {
    const auto middle = static_cast<T>(low + (high - low) / 2);
    if (count_rows(values, middle) >= limit)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// The rows of `among` with at least this value.
template <typename Values, typename T>
std::vector<Row> rows_at_least(const Values& values, T least, const NodeMask& among) {
  std::vector<Row> rows;
  for (std::size_t chunk = 0; chunk < values.chunks(); ++chunk) {
    if (values.summary(chunk).most < least) continue;
    typename Values::Chunk space;
    const auto words = at_least(values.chunk(chunk, space), least);
    for (std::size_t w = 0; w < kChunkWords; ++w) {
      const auto word = chunk * kChunkWords + w;
      for (auto bits = words[w] & among.word(word); bits; bits &= bits - 1)
        rows.push_back(static_cast<Row>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }
  return rows;
}

template <typename Values>
std::vector<Ranked> top(const Values& values, const Decision& decision, const Snapshot& snapshot,
                        std::size_t limit) {
  // Up to this many ties are sorted. Of more, a walk over all names finds the first ones soon.
  constexpr std::size_t kFew = 64;
  const auto feasible = decision.feasible.count();
  limit = std::min(limit, feasible);
  if (limit == 0) return {};
  const auto cut = cut_of(values, limit);
  using T = std::remove_const_t<decltype(cut)>;

  std::vector<Ranked> best;
  best.reserve(limit);
  if (cut < std::numeric_limits<T>::max()) {
    for (const auto row : rows_at_least(values, static_cast<T>(cut + 1), decision.feasible))
      best.push_back({row, values[row]});
  }
  std::ranges::sort(best, [&](const Ranked& a, const Ranked& b) {
    return a.score != b.score ? a.score > b.score : snapshot.node_name(a.row) < snapshot.node_name(b.row);
  });
  const auto ties = (cut == 0 ? feasible : count_rows(values, cut)) - best.size();
  if (ties <= kFew) {
    auto rows = rows_at_least(values, cut, decision.feasible);
    std::erase_if(rows, [&](Row row) { return values[row] != cut; });
    std::ranges::sort(rows, {}, [&](Row row) { return snapshot.node_name(row); });
    rows.resize(std::min(rows.size(), limit - best.size()));
    for (const Row row : rows) best.push_back({row, cut});
    return best;
  }
  for (const Row row : snapshot.rows_by_name()) {
    if (best.size() == limit) break;
    if (decision.feasible.test(row) && values[row] == cut) best.push_back({row, cut});
  }
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

// What is left of the totals without one strategy: total[row] - weight * score[row]. The thread's memo keeps
// the largest rest of each chunk as long as it keeps the chunk.
class Rests {
 public:
  Rests(const Decision& decision, std::size_t strategy)
      : decision_(decision), strategy_(strategy), own_(decision.total.chunks(), Kept::kUnknownRest) {
    if (auto* memo = EvaluationMemo::of_thread()) kept_ = memo->strategies_of(decision.total);
  }
  // The largest one, if that can be more than `least`.
  std::int64_t largest(std::int64_t least) {
    const auto& totals = decision_.total;
    auto most = least;
    for (std::size_t chunk = 0; chunk < totals.chunks(); ++chunk) {
      if (totals.summary(chunk).most > most) most = std::max(most, largest_of(chunk));
    }
    return most;
  }
  // The feasible rows with the rest `largest`, which no row exceeds.
  NodeMask rows_with(std::int64_t largest) {
    NodeMask rows(decision_.total.chunks());
    for (std::size_t chunk = 0; chunk < decision_.total.chunks(); ++chunk) {
      if (decision_.total.summary(chunk).most >= largest && largest_of(chunk) == largest)
        rows.set_chunk(chunk, with_rest(totals_of(chunk), weighted(chunk), largest));
    }
    rows &= decision_.feasible;
    return rows;
  }

 private:
  using Kept = EvaluationMemo::Strategies;
  // Both valid until the next call.
  Weighted weighted(std::size_t chunk) {
    const auto& strategy = decision_.strategies[strategy_];
    return {strategy.score.chunk(chunk, scores_).data(), strategy.weight};
  }
  Totals::Values totals_of(std::size_t chunk) { return decision_.total.chunk(chunk, totals_); }
  std::int64_t largest_of(std::size_t chunk) {
    auto& known = kept_ ? kept_->rest(chunk, strategy_) : own_[chunk];
    if (known == Kept::kUnknownRest) known = largest_without(totals_of(chunk), weighted(chunk));
    return known;
  }

  const Decision& decision_;
  const std::size_t strategy_;
  Kept* kept_ = nullptr;           // null without a memo
  std::vector<std::int64_t> own_;  // by chunk, without a memo
  Scores::Chunk scores_;
  Totals::Chunk totals_;
};

// The rows of a chunk with this total.
cluster::ChunkWords rows_with_total(const Totals& totals, std::size_t chunk, std::int64_t total) {
  const auto& summary = totals.summary(chunk);
  if (summary.most < total) return {};
  if (summary.most == total && total != 0) return summary.rows;
  Totals::Chunk space;
  const auto values = totals.chunk(chunk, space);
  auto rows = at_least(values, total);
  if (summary.most == total) return rows;
  const auto above = summary.next == total ? summary.rows : at_least(values, total + 1);
  for (std::size_t w = 0; w < kChunkWords; ++w) rows[w] &= ~above[w];
  return rows;
}

// Whether all feasible rows have the same score. Rows that are not feasible have 0.
bool is_level(const Scores& scores, const NodeMask& feasible) {
  const auto most = largest(scores);
  if (most == 0) return true;
  std::size_t with_most = 0;
  for (std::size_t chunk = 0; chunk < scores.chunks(); ++chunk) {
    const auto& summary = scores.summary(chunk);
    if (summary.most == most) with_most += summary.count;
  }
  return with_most == feasible.count();
}

// The first of the rows by name. There is one.
Row first_by_name(const NodeMask& rows, const Snapshot& snapshot) {
  constexpr std::size_t kFew = 64;  // of more, a walk over all names finds the first one soon
  if (rows.count() > kFew) {
    return *std::ranges::find_if(snapshot.rows_by_name(), [&](Row row) { return rows.test(row); });
  }
  std::optional<Row> first;
  rows.each([&](Row row) {
    if (!first || snapshot.node_name(row) < snapshot.node_name(*first)) first = row;
  });
  return *first;
}

}  // namespace

std::vector<Ranked> top_total(const Decision& decision, const Snapshot& snapshot, std::size_t limit) {
  if (decision.total.empty()) return {};
  if (decision.scored_by_extenders()) {
    return top_by_walk(decision, snapshot, limit, [&](Row row) { return decision.total[row]; });
  }
  return top(decision.total, decision, snapshot, limit);
}

std::vector<Ranked> top_of(const Strategy& strategy, const Decision& decision, const Snapshot& snapshot,
                           std::size_t limit) {
  if (!strategy.wide.empty()) {
    return top_by_walk(decision, snapshot, limit, [&](Row row) { return strategy.at(row); });
  }
  return top(strategy.score, decision, snapshot, limit);
}

std::optional<Lead> lead_of(const Decision& decision, std::span<const Ranked> best) {
  if (!decision.choice || decision.total.empty()) return std::nullopt;
  const auto& totals = decision.total;
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
    const auto reached = count_rows(totals, chosen);
    lead.tied = reached - count_rows(totals, chosen + 1);
    const auto lower = largest_value_below(totals, chosen);
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

std::optional<Ranked> best_below(std::int64_t limit, const Decision& decision, const Snapshot& snapshot) {
  const auto& totals = decision.total;
  if (totals.empty()) return std::nullopt;
  if (!decision.scored_by_extenders()) {
    // Rows that are not feasible have 0.
    if (limit <= 0) return std::nullopt;
    const auto score = largest_value_below(totals, limit);
    NodeMask rows(totals.chunks());
    for (std::size_t chunk = 0; chunk < totals.chunks(); ++chunk)
      rows.set_chunk(chunk, rows_with_total(totals, chunk, score));
    rows &= decision.feasible;
    if (rows.none()) return std::nullopt;
    return Ranked{first_by_name(rows, snapshot), score};
  }
  std::optional<Ranked> best;
  decision.feasible.each([&](Row row) {
    const auto score = totals[row];
    if (score >= limit || (best && score < best->score)) return;
    if (!best || score > best->score || snapshot.node_name(row) < snapshot.node_name(best->row))
      best = Ranked{row, score};
  });
  return best;
}

std::optional<Ranked> winner_without(std::size_t index, const Decision& decision, const Snapshot& snapshot) {
  // A nominated node need not be the best.
  if (!decision.choice || decision.total.empty() || !decision.nominated_node.empty()) return std::nullopt;
  const auto& strategy = decision.strategies[index];
  const auto rest = [&](Row row) { return decision.total[row] - strategy.weight * strategy.at(row); };
  const auto chosen = rest(*decision.choice);
  if (!decision.scored_by_extenders()) {
    // What is added to all alike decides nothing.
    if (is_level(strategy.score, decision.feasible)) return std::nullopt;
    // Rows that are not feasible have 0, so they cannot have more than the choice.
    Rests rests(decision, index);
    const auto most = rests.largest(chosen);
    if (most <= chosen) return std::nullopt;
    return Ranked{first_by_name(rests.rows_with(most), snapshot), most - chosen};
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
  // Reasons of one text may be about different volumes or labels.
  std::map<std::tuple<std::string, std::string, ReasonCode, Topics>, RejectionGroup> groups;
  if (decision.rejections.verdicts().empty()) return {};
  std::vector<std::vector<RejectionGroup*>> of_verdict;
  for (const auto& verdict : decision.rejections.verdicts()) {
    auto& list = of_verdict.emplace_back();
    for (const auto& reason : verdict.reasons) {
      auto& group = groups[{verdict.plugin, reason.text, reason.code, reason.about}];
      group.plugin = verdict.plugin;
      group.reason = reason;
      list.push_back(&group);
    }
  }
  const auto& counts = decision.rejections.counts();
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

std::string fit_error(const Decision& decision, std::string_view post_filter_message) {
  std::string text;
  if (decision.pre_filter) {
    text = fmt::format("0/{} nodes are available: {}.", decision.node_count, message(*decision.pre_filter));
  } else {
    std::map<std::string_view, std::size_t> nodes_with;
    const auto& counts = decision.rejections.counts();
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
