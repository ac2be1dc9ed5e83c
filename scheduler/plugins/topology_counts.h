// Counts and scores by topology value: how many pods each zone (host, rack …) has, and what that means for its nodes.
//
// A topology key's domains are the value ids of its label column, so a count is an array, a verdict on all nodes is a
// table look-up down that column, and what holds for a whole domain is computed once for it.
// Threads: values that belong to one decision; the snapshot must outlive them. Errors: none.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/rejections.h"

namespace podium::plugins {

// A small number for each node: the value id of a label, or another level that is below limit().
class LevelColumn {
 public:
  // The column of a label key; all kNoValue where no node ever had it.
  LevelColumn(const cluster::Snapshot& snapshot, std::string_view key);
  // One number a row, chunks * kChunkRows of them, all below `limit`.
  LevelColumn(std::vector<std::uint32_t> levels, std::size_t limit);
  LevelColumn(LevelColumn&&) = default;
  LevelColumn& operator=(LevelColumn&&) = default;

  std::size_t limit() const { return limit_; }
  std::uint32_t at(cluster::Row row) const { return chunks_[row / cluster::kChunkRows][row % cluster::kChunkRows]; }
  std::size_t chunks() const { return chunks_.size(); }
  const std::uint32_t* chunk(std::size_t i) const { return chunks_[i]; }
  const cluster::LabelColumn* label() const { return label_; }  // null where the key is not known, or for other levels
  // The rows of a word whose level is not zero: nodes that have the label.
  std::uint64_t present_word(std::size_t word) const;

 private:
  const cluster::LabelColumn* label_ = nullptr;
  std::size_t limit_ = 1;
  std::vector<const std::uint32_t*> chunks_;
  std::vector<std::uint32_t> own_;  // moving a vector keeps its elements where they are
};

// Pods, or weights, by the value of one topology key; index 0 is for nodes without the label and means nothing.
template <typename Count>
struct TopologyCounts {
  TopologyCounts(const cluster::Snapshot& snapshot, std::string_view topology_key)
      : key(topology_key), column(snapshot, topology_key), count(column.limit()) {}

  // Adds `weight` for each pod of the class. False where none of its nodes has the label.
  bool add(const cluster::PodClass& pods, Count weight) {
    bool touched = false;
    for (const auto& posting : pods.postings()) {
      const auto value = column.at(posting.row);
      count[value] += weight * static_cast<Count>(posting.pods);
      touched |= value != cluster::kNoValue;
    }
    return touched;
  }

  std::string_view key;
  LevelColumn column;
  std::vector<Count> count;
};

// The counts of a key, made on first use. Pods name few keys, so a list is searched faster than a map.
template <typename Count>
TopologyCounts<Count>& counts_of(std::vector<TopologyCounts<Count>>& all, const cluster::Snapshot& snapshot,
                                 std::string_view key) {
  const auto it = std::ranges::find(all, key, &TopologyCounts<Count>::key);
  return it != all.end() ? *it : all.emplace_back(snapshot, key);
}

// Turns nodes down by the flags of their level: the first bit of flags[level] means `first`, the second one `second`.
void reject_by_level(cluster::NodeMask& nodes, framework::Rejections& out, const LevelColumn& column,
                     std::span<const std::uint8_t> flags, framework::VerdictId first, framework::VerdictId second);

// f(row) for every row of the mask. Whole words are walked without looking at their bits.
template <typename F>
void each_row(const cluster::NodeMask& nodes, F&& f) {
  for (std::size_t w = 0; w < nodes.words(); ++w) {
    auto bits = nodes.word(w);
    const auto row = static_cast<cluster::Row>(w * 64);
    if (bits == ~std::uint64_t{0}) {
      for (cluster::Row i = 0; i < 64; ++i) f(row + i);
    } else {
      for (; bits; bits &= bits - 1) f(row + static_cast<cluster::Row>(std::countr_zero(bits)));
    }
  }
}

// One summand of a score: by the level of a node.
template <typename T>
struct ScoreTerm {
  LevelColumn column;
  std::vector<T> value;  // by level
};

// Scores that depend on a node only through the levels of a few columns. raw_of(sum of the terms, in their order) is a
// node's raw score, final_of(raw, min, max) its normalised one; min and max are over `nodes`. Where the levels have few
// combinations, each is computed once, else each node is. Entries of `out` for other rows get arbitrary values.
template <typename T, typename RawOf, typename FinalOf>
void score_by_levels(std::span<const ScoreTerm<T>> terms, const cluster::NodeMask& nodes, std::span<std::int64_t> out,
                     RawOf raw_of, FinalOf final_of) {
  std::size_t combinations = 1;
  const auto most = std::max<std::size_t>(4096, out.size() / 2);
  for (const auto& term : terms) {
    if (combinations <= most) combinations *= term.column.limit();
  }
  auto min = std::numeric_limits<std::int64_t>::max(), max = std::numeric_limits<std::int64_t>::min();

  if (combinations > most) {
    each_row(nodes, [&](cluster::Row row) {
      T sum{};
      for (const auto& term : terms) sum += term.value[term.column.at(row)];
      const std::int64_t raw = raw_of(sum);
      out[row] = raw;
      min = std::min(min, raw);
      max = std::max(max, raw);
    });
    each_row(nodes, [&](cluster::Row row) { out[row] = final_of(out[row], min, max); });
    return;
  }

  for (std::size_t c = 0; c * cluster::kChunkRows < out.size(); ++c) {
    auto* combination = out.data() + c * cluster::kChunkRows;
    std::fill_n(combination, cluster::kChunkRows, 0);
    for (const auto& term : terms) {
      const auto* level = term.column.chunk(c);
      const auto limit = static_cast<std::int64_t>(term.column.limit());
      for (std::size_t i = 0; i < cluster::kChunkRows; ++i) combination[i] = combination[i] * limit + level[i];
    }
  }
  std::vector<std::uint8_t> used(combinations);
  each_row(nodes, [&](cluster::Row row) { used[out[row]] = 1; });

  std::vector<std::int64_t> score(combinations);
  std::vector<std::size_t> level(terms.size());
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    if (!used[combination]) continue;
    auto rest = combination;
    for (auto t = terms.size(); t-- > 0; rest /= terms[t].column.limit()) level[t] = rest % terms[t].column.limit();
    T sum{};
    for (std::size_t t = 0; t < terms.size(); ++t) sum += terms[t].value[level[t]];
    const std::int64_t raw = raw_of(sum);
    score[combination] = raw;
    min = std::min(min, raw);
    max = std::max(max, raw);
  }
  for (std::size_t combination = 0; combination < combinations; ++combination) {
    if (used[combination]) score[combination] = final_of(score[combination], min, max);
  }
  for (auto& each : out) each = score[each];
}

}  // namespace podium::plugins
