#include "scheduler/framework/strategy_scores.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/score_loops.h"

namespace podium::framework {

using cluster::kChunkRows;

StrategyScores::StrategyScores(std::vector<Scorer> scorers, const Snapshot& snapshot,
                               const NodeMask& feasible)
    : scorers_(std::move(scorers)),
      snapshot_(snapshot),
      feasible_(feasible),
      memo_(EvaluationMemo::of_thread()),
      masks_(snapshot.chunks()) {
  if (!memo_) return;
  declare();
  kept_ = &memo_->strategies(declared_);
  if (kept_->total.chunks() > snapshot.chunks()) {
    *kept_ = {};
    kept_->key = declared_.key();
  }
  kept_->strategies.resize(scorers_.size());
  kept_->added.resize(snapshot.chunks());
  kept_->rests.resize(snapshot.chunks());
  kept_->total.grow_to_chunks(snapshot.chunks());
}

void StrategyScores::declare() {
  std::size_t groups = 1;
  group_index_.assign(scorers_.size(), kNoGroups);
  for (std::size_t i = 0; i < scorers_.size(); ++i) {
    const auto& [plugin, scorer] = scorers_[i];
    const auto* by_group = scorer->by_group();
    RowInputs inputs;
    if (const auto* by_row = scorer->by_row()) {
      by_row->declare(inputs);
      declared_.add(plugin, inputs);
    } else if (by_group && groups * by_group->groups() <= GroupScorer::kMost) {
      groups *= by_group->groups();
      by_group->declare(inputs);
      inputs.asks.push_back(static_cast<std::int64_t>(by_group->groups()));
      declared_.add(plugin, inputs);
      group_index_[i] = group_scorers_.size();
      group_scorers_.push_back(by_group);
      group_columns_.insert(group_columns_.end(), inputs.columns.begin(), inputs.columns.end());
    } else {
      declared_.add_undeclared(plugin);
    }
  }
}

Scores StrategyScores::run(std::size_t index) { return kept_ ? run_kept(index) : run_alone(scorers_[index]); }

Scores StrategyScores::run_alone(const Scorer& scorer) {
  Scores scores(snapshot_.chunks());
  scratch_.assign(scores.size(), 0);
  scorer.scorer->score(feasible_, scratch_);
  for (std::size_t chunk = 0; chunk < scores.chunks(); ++chunk)
    keep(scores, chunk, &scratch_[chunk * kChunkRows]);
  return scores;
}

const Scores& StrategyScores::run_kept(std::size_t index) {
  const auto& scorer = scorers_[index];
  auto& kept = kept_->strategies[index];
  // Of another key, under which this place had scores by row.
  if (group_index_[index] != kNoGroups && !kept.chunks.empty()) kept = {};
  kept.scores.grow_to_chunks(snapshot_.chunks());
  if (const auto group = group_index_[index]; group != kNoGroups) {
    if (group == 0) {
      const auto now = memo_->view().look(group_columns_, snapshot_.chunks());
      kept_->groups.look(group_scorers_, memo_->view(), now, feasible_);
    }
    kept_->groups.score(group, kept.scores);
    return kept.scores;
  }
  kept.chunks.resize(snapshot_.chunks());
  const auto* by_row = scorer.scorer->by_row();
  if (!by_row) {
    scratch_.assign(kept.scores.size(), 0);
    scorer.scorer->score(feasible_, scratch_);
    for (std::size_t chunk = 0; chunk < kept.chunks.size(); ++chunk)
      take(kept, chunk, &scratch_[chunk * kChunkRows]);
    return kept.scores;
  }
  const auto now = memo_->view().look(declared_.columns(index), snapshot_.chunks());
  for (std::size_t chunk = 0; chunk < kept.chunks.size(); ++chunk) {
    auto& known = kept.chunks[chunk];
    const bool is_new = known.seen == 0;
    const auto words = is_new ? ColumnView::kAllWords : memo_->view().changed_words(chunk, known.seen);
    const auto feasible = feasible_.chunk(chunk);
    if (words == 0 && known.feasible == feasible) continue;
    if (!known.computed) known.computed = std::make_unique_for_overwrite<cluster::ChunkBytes>();
    score_words(*by_row, chunk, words, *known.computed);
    known.feasible = feasible;
    known.seen = now;
    if (keep(kept.scores, chunk, known.computed->data())) known.version = ++kept_->versions;
  }
  return kept.scores;
}

// Takes over the scores of a chunk, as a scorer that does not declare its inputs has computed them.
void StrategyScores::take(Kept::Strategy& kept, std::size_t chunk, const std::uint8_t* computed) {
  auto& known = kept.chunks[chunk];
  const auto feasible = feasible_.chunk(chunk);
  if (known.seen != 0 && known.feasible == feasible &&
      std::memcmp(known.computed->data(), computed, kChunkRows) == 0)
    return;
  if (!known.computed) known.computed = std::make_unique_for_overwrite<cluster::ChunkBytes>();
  std::memcpy(known.computed->data(), computed, kChunkRows);
  known.feasible = feasible;
  known.seen = 1;
  if (keep(kept.scores, chunk, computed)) known.version = ++kept_->versions;
}

// Scores the rows of the words `words` of a chunk.
void StrategyScores::score_words(const RowScorer& scorer, std::size_t chunk, std::uint32_t words,
                                 cluster::ChunkBytes& scores) {
  while (words) {
    const auto from = static_cast<std::size_t>(std::countr_zero(words));
    const auto count = static_cast<std::size_t>(std::countr_one(words >> from));
    scorer.score_rows({chunk, from * 64, count * 64}, &scores[from * 64]);
    words &= words + (std::uint32_t{1} << from);  // clears the run
  }
}

// Stores the scores of a chunk's feasible rows. False: they are as before.
bool StrategyScores::keep(Scores& scores, std::size_t chunk, const std::uint8_t* computed) {
  cluster::ChunkBytes inside;
  const auto summary = keep_inside(computed, mask(chunk), inside.data());
  if (std::memcmp(inside.data(), scores.own_chunk(chunk).data(), inside.size()) == 0) return false;
  scores.write_chunk(chunk) = inside;
  scores.set_summary(chunk, summary);
  return true;
}

const cluster::ChunkBytes& StrategyScores::mask(std::size_t chunk) {
  auto& mask = masks_[chunk];
  if (!mask) mask = std::make_unique<cluster::ChunkBytes>(bytes_of(feasible_.chunk(chunk)));
  return *mask;
}

Totals StrategyScores::total(std::span<const Strategy> strategies) {
  if (!kept_) {
    Totals total(snapshot_.chunks());
    for (std::size_t chunk = 0; chunk < total.chunks(); ++chunk) add_up_chunk(strategies, chunk, total);
    return total;
  }
  if (!group_scorers_.empty()) {
    std::vector<std::int64_t> weights;
    for (std::size_t i = 0; i < strategies.size(); ++i) {
      if (group_index_[i] != kNoGroups) weights.push_back(strategies[i].weight);
    }
    kept_->groups.weigh(weights, kept_->total);
  }
  for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
    const bool own_changed = !is_added(strategies, chunk);
    if (own_changed) add_up_chunk(strategies, chunk, kept_->total);
    const bool changed =
        group_scorers_.empty() ? own_changed : kept_->groups.add_up(chunk, own_changed, kept_->total);
    if (changed) kept_->rests[chunk].clear();
  }
  return kept_->total;
}

// True if the total of a chunk is already that of these scores by row.
bool StrategyScores::is_added(std::span<const Strategy> strategies, std::size_t chunk) {
  auto& added = kept_->added[chunk];
  bool is_known = added.size() == strategies.size() * 2;
  added.resize(strategies.size() * 2);
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const bool by_row = group_index_[i] == kNoGroups;
    const auto weight = by_row ? static_cast<std::uint64_t>(strategies[i].weight) : 0;
    const auto version = by_row ? kept_->strategies[i].chunks[chunk].version : 0;
    is_known &= added[i * 2] == weight && added[i * 2 + 1] == version;
    added[i * 2] = weight;
    added[i * 2 + 1] = version;
  }
  return is_known;
}

void StrategyScores::add_up_chunk(std::span<const Strategy> strategies, std::size_t chunk,
                                  Totals& total) const {
  std::vector<Weighted> weighted;
  weighted.reserve(strategies.size());
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const auto& [name, weight, score, wide] = strategies[i];
    if (kept_ && group_index_[i] != kNoGroups) continue;
    if (score.summary(chunk).most > 0)  // else it adds nothing
      weighted.push_back({score.own_chunk(chunk).data(), weight});
  }
  total.set_summary(chunk, add_up(weighted, total.write_chunk(chunk)));
}

}  // namespace podium::framework
