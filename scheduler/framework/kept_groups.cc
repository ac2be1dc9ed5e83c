#include "scheduler/framework/kept_groups.h"

#include <algorithm>
#include <array>
#include <bit>

#include "scheduler/cluster/node_mask.h"
#include "scheduler/framework/score_loops.h"

namespace podium::framework {

using cluster::kChunkRows;

void KeptGroups::look(std::span<const GroupScorer* const> scorers, std::span<const ChunkChange> changes,
                      const NodeMask& feasible) {
  scorers_.assign(scorers.begin(), scorers.end());
  limits_.clear();
  for (const auto* scorer : scorers) limits_.push_back(scorer->groups());
  scores_.resize(scorers.size());
  chunks_.resize(feasible.words() / cluster::kChunkWords);
  for (const auto& change : changes) look_at(change, feasible);
}

void KeptGroups::look_at(const ChunkChange& change, const NodeMask& feasible) {
  auto& chunk = chunks_[change.chunk];
  chunk.changed = true;
  const auto mask = bytes_of(feasible.chunk(change.chunk));
  auto& of_row = chunk.of_row.write();
  auto words = change.words;
  if (change.other_nodes || words == ColumnView::kAllWords) {
    write_groups({.chunk = change.chunk}, mask, of_row);
    return count_groups(chunk);
  }
  cluster::ChunkBytes now;
  while (words) {
    const auto word = static_cast<std::size_t>(std::countr_zero(words));
    const auto count = static_cast<std::size_t>(std::countr_one(words >> word)) * 64;
    write_groups({change.chunk, word * 64, count}, mask, now);
    for (auto row = word * 64; row < word * 64 + count; ++row) {
      if (now[row] == of_row[row]) continue;
      regroup(chunk, of_row[row], now[row]);
      of_row[row] = now[row];
    }
    words &= words + (std::uint32_t{1} << word);  // clears the run
  }
}

// Writes the groups that all scorers together give these rows.
void KeptGroups::write_groups(const ChunkRows& rows, const cluster::ChunkBytes& mask,
                              cluster::ChunkBytes& out) const {
  cluster::ChunkBytes part;
  auto* const first = &out[rows.first];
  std::fill_n(first, rows.count, std::uint8_t{0});
  for (std::size_t i = 0; i < scorers_.size(); ++i) {
    scorers_[i]->group_rows(rows, part.data());
    const auto limit = static_cast<std::uint8_t>(limits_[i]);
    for (std::size_t row = 0; row < rows.count; ++row)
      first[row] = static_cast<std::uint8_t>(first[row] * limit + part[row]);
  }
  for (std::size_t row = 0; row < rows.count; ++row)
    first[row] = static_cast<std::uint8_t>(first[row] | ~mask[rows.first + row]);
}

void KeptGroups::count_groups(Chunk& chunk) {
  std::array<std::uint32_t, 256> rows{};
  for (const auto group : *chunk.of_row) ++rows[group];
  chunk.best_in.reset();
  for (const auto& each : chunk.groups) rows_[each.group] -= each.rows;
  chunk.groups.clear();
  for (std::size_t group = 0; group < kNotFeasible; ++group) {
    if (rows[group] == 0) continue;
    chunk.groups.push_back({static_cast<std::uint8_t>(group), rows[group], {}});
    rows_[group] += rows[group];
  }
  chunk.rows_with_most.resize(chunk.groups.size());
}

std::size_t KeptGroups::Chunk::find(std::uint8_t group) const {
  return static_cast<std::size_t>(std::ranges::find(groups, group, &Group::group) - groups.begin());
}

// Counts a row that goes from one group to another one.
void KeptGroups::regroup(Chunk& chunk, std::uint8_t from, std::uint8_t to) {
  auto& groups = chunk.groups;
  if (const auto i = chunk.find(from); i < groups.size()) {
    --rows_[from];
    if (--groups[i].rows == 0) {
      groups[i] = groups.back();
      groups.pop_back();
      chunk.rows_with_most[i] = chunk.rows_with_most.back();
      chunk.rows_with_most.pop_back();
    }
  }
  if (to == kNotFeasible) return;
  const auto i = chunk.find(to);
  if (i == groups.size()) {
    groups.push_back({.group = to, .rows = 0, .best = {.is_stale = true}});
    chunk.rows_with_most.emplace_back();
  }
  ++rows_[to];
  ++groups[i].rows;
}

std::size_t KeptGroups::part_of(std::size_t group, std::size_t scorer) const {
  for (auto i = limits_.size(); --i > scorer;) group /= limits_[i];
  return group % limits_[scorer];
}

void KeptGroups::score(std::size_t scorer, Scores& scores) {
  UsedGroups used(limits_[scorer]);
  for (std::size_t group = 0; group < kNotFeasible; ++group) {
    if (rows_[group] > 0) used[part_of(group, scorer)] = 1;
  }
  std::vector<std::uint8_t> of_part(limits_[scorer]);
  scorers_[scorer]->score_groups(used, of_part);
  Scores::OfGroup of_group{};
  std::size_t limit = 1;
  for (const auto each : limits_) limit *= each;
  for (std::size_t group = 0; group < limit; ++group) {
    if (const auto part = part_of(group, scorer); used[part]) of_group[group] = of_part[part];
  }
  const bool is_new = of_group != scores_[scorer];
  if (is_new) scores.set_of_group(scores_[scorer] = of_group);
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const auto& chunk = chunks_[i];
    if (chunk.changed) scores.set_groups(i, chunk.of_row);
    if (!chunk.changed && !is_new) continue;
    ScoreSummary summary{.most = 0, .count = 0};
    for (const auto& group : chunk.groups) {
      const auto score = of_group[group.group];
      if (score > summary.most) summary = {.most = score, .count = 0};
      if (score == summary.most) summary.count += group.rows;
    }
    if (summary.most == 0) summary.count = kChunkRows;
    scores.set_summary(i, summary);
  }
}

bool KeptGroups::weigh(std::span<const std::int64_t> weights, Totals& totals) {
  Totals::OfGroup total{};
  for (std::size_t scorer = 0; scorer < scores_.size(); ++scorer) {
    for (std::size_t group = 0; group < kNotFeasible; ++group)
      total[group] += weights[scorer] * scores_[scorer][group];
  }
  total_changed_ = total != total_;
  if (total_changed_) totals.set_of_group(total_ = total);
  return total_changed_;
}

bool KeptGroups::add_up(std::size_t chunk, std::uint32_t words, bool own_changed, Totals& totals) {
  auto& known = chunks_[chunk];
  if (known.changed) totals.set_groups(chunk, known.of_row);
  if (known.changed || own_changed) {
    update_best(known, words, totals.own_chunk(chunk));
  } else if (!total_changed_) {
    return false;
  }
  known.changed = false;
  TotalSummary all{.most = 0, .next = 0, .count = 0};
  for (const auto& [group, _, best] : known.groups) all.most = std::max(all.most, best.most + total_[group]);
  for (std::size_t i = 0; i < known.groups.size(); ++i) {
    const auto& [group, _, best] = known.groups[i];
    if (const auto most = best.most + total_[group]; most == all.most) {
      all.count += best.count;
      for (std::size_t w = 0; w < all.rows.size(); ++w) all.rows[w] |= known.rows_with_most[i][w];
    } else {
      all.next = std::max(all.next, most);
    }
    if (best.next != Best::kNone) all.next = std::max(all.next, best.next + total_[group]);
  }
  if (all.most == 0) all.count = kChunkRows;
  totals.set_summary(chunk, all);
  return true;
}

void KeptGroups::Chunk::add(std::size_t group, std::size_t row, std::int64_t total) {
  auto& best = groups[group].best;
  if (total < best.most) {
    best.next = std::max(best.next, total);
    return;
  }
  if (total > best.most) {
    best = {.most = total, .next = best.most, .is_stale = best.is_stale};
    rows_with_most[group] = {};
  }
  rows_with_most[group][row / 64] |= std::uint64_t{1} << (row % 64);
  ++best.count;
}

void KeptGroups::Chunk::remove(std::size_t group, std::size_t row, std::int64_t total) {
  auto& best = groups[group].best;
  if (total == best.most) {
    rows_with_most[group][row / 64] &= ~(std::uint64_t{1} << (row % 64));
    best.is_stale |= --best.count == 0;
  } else {
    best.is_stale |= total == best.next;
  }
}

void KeptGroups::find_best(Chunk& chunk, Totals::Values totals) {
  std::array<std::uint8_t, 256> place;  // of a group in chunk.groups
  for (std::size_t i = 0; i < chunk.groups.size(); ++i) {
    place[chunk.groups[i].group] = static_cast<std::uint8_t>(i);
    chunk.groups[i].best = {};
  }
  const auto& of_row = *chunk.of_row;
  for (std::size_t row = 0; row < kChunkRows; ++row) {
    if (of_row[row] != kNotFeasible) chunk.add(place[of_row[row]], row, totals[row]);
  }
  if (!chunk.best_in) chunk.best_in = std::make_unique_for_overwrite<Seen>();
  std::ranges::copy(totals, chunk.best_in->totals.begin());
  chunk.best_in->of_row = of_row;
}

// The same, if few rows have changed since.
void KeptGroups::update_best(Chunk& chunk, std::uint32_t words, Totals::Values totals) {
  constexpr std::size_t kFew = 16;
  if (!chunk.best_in) return find_best(chunk, totals);
  auto& seen = *chunk.best_in;
  const auto& of_row = *chunk.of_row;
  cluster::ChunkWords changed{};
  for (; words; words &= words - 1) {
    const auto w = static_cast<std::size_t>(std::countr_zero(words));
    for (std::size_t i = 0; i < 64; ++i) {
      const auto row = w * 64 + i;
      const bool differs = totals[row] != seen.totals[row] || of_row[row] != seen.of_row[row];
      changed[w] |= std::uint64_t{differs} << i;
    }
  }
  if (cluster::count(changed) > kFew) return find_best(chunk, totals);
  for (std::size_t w = 0; w < changed.size(); ++w) {
    for (auto bits = changed[w]; bits; bits &= bits - 1) {
      const auto row = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (const auto i = chunk.find(seen.of_row[row]); i < chunk.groups.size())
        chunk.remove(i, row, seen.totals[row]);
      if (const auto i = chunk.find(of_row[row]); i < chunk.groups.size()) chunk.add(i, row, totals[row]);
      seen.totals[row] = totals[row];
      seen.of_row[row] = of_row[row];
    }
  }
  for (std::size_t i = 0; i < chunk.groups.size(); ++i) {
    auto& [group, _, best] = chunk.groups[i];
    if (!best.is_stale) continue;
    best = {};
    for (std::size_t row = 0; row < kChunkRows; ++row) {
      if (of_row[row] == group) chunk.add(i, row, totals[row]);
    }
  }
}

}  // namespace podium::framework
