// StrategyScores: runs the scorers of one decision and adds their scores up. Reuses the scores that the
// thread's EvaluationMemo keeps. Internal to scheduler/framework.
//
// Owner: one evaluation. Threads: not thread-safe. Errors: none; a score above kMaxScore shows in most_of().
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/framework/decision.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/score_loops.h"

namespace podium::framework {

class StrategyScores {
 public:
  struct Scorer {
    const ScorePlugin* plugin;
    const NodeScorer* scorer;
  };
  // Keeps references to `snapshot` and `feasible`.
  StrategyScores(std::vector<Scorer> scorers, const Snapshot& snapshot, const NodeMask& feasible);

  // The scores of one scorer; 0 for nodes that are not feasible. Call it for each, in their order.
  Scores run(std::size_t index);
  // The weighted sum of all; `strategies` are those of run(), in their order.
  Totals total(std::span<const Strategy> strategies);

 private:
  using Kept = EvaluationMemo::Strategies;
  static constexpr auto kNoGroups = std::numeric_limits<std::size_t>::max();
  void declare();
  void find_changes();
  Scores run_alone(const Scorer& scorer);
  const Scores& run_kept(std::size_t index);
  static void score_words(const RowScorer& scorer, std::size_t chunk, std::uint32_t words,
                          cluster::ChunkBytes& scores);
  void take(Kept::Strategy& kept, std::size_t chunk, bool other_nodes, const std::uint8_t* computed);
  bool keep(Scores& scores, std::size_t chunk, const std::uint8_t* computed);
  bool keep_words(Scores& scores, std::size_t chunk, std::uint32_t words, const std::uint8_t* computed);
  const cluster::ChunkBytes& mask(std::size_t chunk);
  bool is_added(std::size_t chunk);
  std::vector<Weighted> weighted(std::span<const Strategy> strategies, std::size_t chunk) const;
  void add_up_words(std::span<const Strategy> strategies, std::size_t chunk, std::uint32_t words);

  const std::vector<Scorer> scorers_;
  const Snapshot& snapshot_;
  const NodeMask& feasible_;
  Declared declared_;
  std::vector<std::size_t> group_index_;           // by scorer: in group_scorers_, or kNoGroups
  std::vector<const GroupScorer*> group_scorers_;  // those that the memo keeps as such
  EvaluationMemo* const memo_;
  Kept* kept_ = nullptr;                                     // null without a memo
  Tick now_ = 0;                                             // of the columns
  std::vector<ChunkChange> changes_;                         // since the key's last decision
  std::vector<std::uint32_t> may_differ_;                    // by chunk: words with maybe other totals
  std::vector<std::unique_ptr<cluster::ChunkBytes>> masks_;  // by chunk, of feasible_; null: not needed yet
  std::vector<std::uint8_t> scratch_;                        // by row
};

}  // namespace podium::framework
