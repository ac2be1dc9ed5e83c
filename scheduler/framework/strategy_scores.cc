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
      declared_(&snapshot),
      memo_(EvaluationMemo::of_thread()),
      masks_(snapshot.chunks()) {
  if (!memo_) return;
  declare();
  kept_ = &memo_->strategies(declared_, memo_->nodes_of());
  if (kept_->total.chunks() > snapshot.chunks()) {
    *kept_ = {};
    kept_->key = declared_.key();
  }
  kept_->strategies.resize(scorers_.size());
  kept_->added.resize(snapshot.chunks());
  kept_->rests.resize(snapshot.chunks());
  kept_->total.grow_to_chunks(snapshot.chunks());
  find_changes();
}

void StrategyScores::declare() {
  std::size_t groups = 1;
  RowInputs inputs;
  group_index_.assign(scorers_.size(), kNoGroups);
  for (std::size_t i = 0; i < scorers_.size(); ++i) {
    const auto& [plugin, scorer] = scorers_[i];
    const auto* by_group = scorer->by_group();
    inputs.asks.clear();  // keeps the memory
    inputs.columns.clear();
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
    } else {
      declared_.add_undeclared(plugin);
    }
  }
}

// Finds what must be computed again. If the decision does not reach total(), the key stays without scores.
void StrategyScores::find_changes() {
  now_ = memo_->view().look(declared_.columns(), snapshot_.chunks(), snapshot_.row_changes());
  may_differ_.resize(snapshot_.chunks());
  const auto since = std::exchange(kept_->seen, 0);
  const bool is_known = since != 0 && kept_->feasible.words() == feasible_.words();
  for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
    const ChunkChange change{
        .chunk = chunk,
        .words = is_known ? memo_->view().changed_words(chunk, since) : ColumnView::kAllWords,
        .other_nodes = !is_known || kept_->feasible.chunk(chunk) != feasible_.chunk(chunk)};
    if (change.words == 0 && !change.other_nodes) continue;
    changes_.push_back(change);
    may_differ_[chunk] = change.other_nodes ? ColumnView::kAllWords : change.words;
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
  // Drops the scores by row of another key that had this place.
  if (group_index_[index] != kNoGroups && !kept.chunks.empty()) kept = {};
  kept.scores.grow_to_chunks(snapshot_.chunks());
  if (const auto group = group_index_[index]; group != kNoGroups) {
    if (group == 0) kept_->groups.look(group_scorers_, changes_, feasible_);
    kept_->groups.score(group, kept.scores);
    return kept.scores;
  }
  kept.chunks.resize(snapshot_.chunks());
  const auto* by_row = scorer.scorer->by_row();
  if (!by_row) {
    scratch_.assign(kept.scores.size(), 0);
    scorer.scorer->score(feasible_, scratch_);
    auto change = changes_.begin();
    for (std::size_t chunk = 0; chunk < kept.chunks.size(); ++chunk) {
      while (change != changes_.end() && change->chunk < chunk) ++change;
      const bool other_nodes = change != changes_.end() && change->chunk == chunk && change->other_nodes;
      take(kept, chunk, other_nodes, &scratch_[chunk * kChunkRows]);
    }
    return kept.scores;
  }
  for (const auto& [chunk, words, other_nodes] : changes_) {
    auto& known = kept.chunks[chunk];
    if (!known.computed) known.computed = std::make_unique_for_overwrite<cluster::ChunkBytes>();
    score_words(*by_row, chunk, words, *known.computed);
    const bool is_new = other_nodes || words == ColumnView::kAllWords
                            ? keep(kept.scores, chunk, known.computed->data())
                            : keep_words(kept.scores, chunk, words, known.computed->data());
    if (is_new) known.version = ++kept_->versions;
  }
  return kept.scores;
}

// Takes over the scores of a chunk, as a scorer that does not declare its inputs has computed them.
void StrategyScores::take(Kept::Strategy& kept, std::size_t chunk, bool other_nodes,
                          const std::uint8_t* computed) {
  auto& known = kept.chunks[chunk];
  if (!other_nodes && std::memcmp(known.computed->data(), computed, kChunkRows) == 0) return;
  if (!known.computed) known.computed = std::make_unique_for_overwrite<cluster::ChunkBytes>();
  std::memcpy(known.computed->data(), computed, kChunkRows);
  if (!keep(kept.scores, chunk, computed)) return;
  known.version = ++kept_->versions;
  may_differ_[chunk] = ColumnView::kAllWords;
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

// The same for some words.
bool StrategyScores::keep_words(Scores& scores, std::size_t chunk, std::uint32_t words,
                                const std::uint8_t* computed) {
  std::array<std::uint8_t, 64> inside;
  bool is_new = false;
  for (; words; words &= words - 1) {
    const auto word = static_cast<std::size_t>(std::countr_zero(words));
    const auto rows = feasible_.word(chunk * cluster::kChunkWords + word);
    std::copy_n(computed + word * 64, inside.size(), inside.begin());
    for (auto outside = ~rows; outside; outside &= outside - 1)
      inside[static_cast<std::size_t>(std::countr_zero(outside))] = 0;
    if (std::memcmp(inside.data(), &scores.own_chunk(chunk)[word * 64], inside.size()) == 0) continue;
    std::ranges::copy(inside, &scores.write_chunk(chunk)[word * 64]);
    is_new = true;
  }
  if (is_new) scores.set_summary(chunk, summary_of(scores.own_chunk(chunk)));
  return is_new;
}

const cluster::ChunkBytes& StrategyScores::mask(std::size_t chunk) {
  auto& mask = masks_[chunk];
  if (!mask) mask = std::make_unique<cluster::ChunkBytes>(bytes_of(feasible_.chunk(chunk)));
  return *mask;
}

Totals StrategyScores::total(std::span<const Strategy> strategies) {
  if (!kept_) {
    Totals total(snapshot_.chunks());
    for (std::size_t chunk = 0; chunk < total.chunks(); ++chunk)
      total.set_summary(chunk, add_up(weighted(strategies, chunk), total.write_chunk(chunk)));
    return total;
  }
  std::vector<std::int64_t> weights, of_groups;
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    weights.push_back(strategies[i].weight);
    if (group_index_[i] != kNoGroups) of_groups.push_back(strategies[i].weight);
  }
  if (weights != kept_->weights) {
    kept_->weights = std::move(weights);
    kept_->added.assign(snapshot_.chunks(), {});
    may_differ_.assign(snapshot_.chunks(), ColumnView::kAllWords);
  }
  const bool all_differ = !of_groups.empty() && kept_->groups.weigh(of_groups, kept_->total);
  for (std::size_t chunk = 0; chunk < snapshot_.chunks(); ++chunk) {
    const auto words = may_differ_[chunk];
    if (words == 0 && !all_differ) continue;
    const bool own_changed = words != 0 && !is_added(chunk);
    if (own_changed) add_up_words(strategies, chunk, words);
    const bool changed =
        group_scorers_.empty() ? own_changed : kept_->groups.add_up(chunk, words, own_changed, kept_->total);
    if (changed) kept_->rests[chunk].clear();
  }
  kept_->seen = now_;
  if (std::ranges::any_of(changes_, &ChunkChange::other_nodes)) kept_->feasible = feasible_;
  return kept_->total;
}

// True if the total of a chunk is already that of these scores by row.
bool StrategyScores::is_added(std::size_t chunk) {
  auto& added = kept_->added[chunk];
  bool is_known = added.size() == scorers_.size();
  added.resize(scorers_.size());
  for (std::size_t i = 0; i < scorers_.size(); ++i) {
    const auto version = group_index_[i] == kNoGroups ? kept_->strategies[i].chunks[chunk].version : 0;
    is_known &= added[i] == version;
    added[i] = version;
  }
  return is_known;
}

// The scores of a chunk that its totals by row are the sums of.
std::vector<Weighted> StrategyScores::weighted(std::span<const Strategy> strategies,
                                               std::size_t chunk) const {
  std::vector<Weighted> weighted;
  weighted.reserve(strategies.size());
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const auto& [name, weight, score, wide] = strategies[i];
    if (kept_ && group_index_[i] != kNoGroups) continue;
    if (score.summary(chunk).most > 0)  // else it adds nothing
      weighted.push_back({score.own_chunk(chunk).data(), weight});
  }
  return weighted;
}

// Adds up the kept totals. With groups, KeptGroups sets the summary.
void StrategyScores::add_up_words(std::span<const Strategy> strategies, std::size_t chunk,
                                  std::uint32_t words) {
  const auto scores = weighted(strategies, chunk);
  auto& total = kept_->total.write_chunk(chunk);
  if (words == ColumnView::kAllWords) {
    kept_->total.set_summary(chunk, add_up(scores, total));
    return;
  }
  auto summary = kept_->total.summary(chunk);
  bool is_known = group_scorers_.empty();
  for (; words; words &= words - 1)
    is_known &= add_up_word(scores, static_cast<std::size_t>(std::countr_zero(words)), total, summary);
  if (!group_scorers_.empty()) return;
  kept_->total.set_summary(chunk, is_known ? summary : summary_of(Totals::Values(total)));
}

}  // namespace podium::framework
