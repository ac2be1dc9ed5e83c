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
      masks_(std::make_unique_for_overwrite<cluster::ChunkBytes[]>(snapshot.chunks())),
      has_mask_(snapshot.chunks()) {
  if (!memo_) return;
  for (const auto& scorer : scorers_) {
    if (const auto* by_row = scorer.scorer->by_row()) {
      RowInputs inputs;
      by_row->declare(inputs);
      declared_.add(scorer.plugin, inputs);
    } else {
      declared_.add_undeclared(scorer.plugin);
    }
  }
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
  kept.chunks.resize(snapshot_.chunks());
  kept.scores.grow_to_chunks(snapshot_.chunks());
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
  if (std::memcmp(inside.data(), scores.chunk(chunk).data(), inside.size()) == 0) return false;
  scores.write_chunk(chunk) = inside;
  scores.set_summary(chunk, summary);
  return true;
}

const cluster::ChunkBytes& StrategyScores::mask(std::size_t chunk) {
  if (!has_mask_[chunk]) {
    masks_[chunk] = bytes_of(feasible_.chunk(chunk));
    has_mask_[chunk] = true;
  }
  return masks_[chunk];
}

Totals StrategyScores::total(std::span<const Strategy> strategies) {
  if (!kept_) {
    Totals total(snapshot_.chunks());
    for (std::size_t chunk = 0; chunk < total.chunks(); ++chunk) add_up_chunk(strategies, chunk, total);
    return total;
  }
  for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
    auto& added = kept_->added[chunk];
    bool is_known = added.size() == strategies.size() * 2;
    added.resize(strategies.size() * 2);
    for (std::size_t i = 0; i < strategies.size(); ++i) {
      const auto weight = static_cast<std::uint64_t>(strategies[i].weight);
      const auto version = kept_->strategies[i].chunks[chunk].version;
      is_known &= added[i * 2] == weight && added[i * 2 + 1] == version;
      added[i * 2] = weight;
      added[i * 2 + 1] = version;
    }
    if (is_known) continue;
    add_up_chunk(strategies, chunk, kept_->total);
    kept_->rests[chunk].clear();
  }
  return kept_->total;
}

void StrategyScores::add_up_chunk(std::span<const Strategy> strategies, std::size_t chunk,
                                  Totals& total) const {
  std::vector<Weighted> weighted;
  weighted.reserve(strategies.size());
  for (const auto& strategy : strategies) {
    if (strategy.score.summary(chunk).most > 0)  // else it adds nothing
      weighted.push_back({strategy.score.chunk(chunk).data(), strategy.weight});
  }
  total.set_summary(chunk, add_up(weighted, total.write_chunk(chunk)));
}

}  // namespace podium::framework
