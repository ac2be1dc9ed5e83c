// Counts and scores by topology domain: the number of pods in each zone (host, rack …), and the verdicts and
// scores of nodes that follow from it.
//
// The domains of a topology key are the value ids of its label column. So counts are an array, the verdict
// on all nodes is a table lookup along that column, and each domain is computed once.
// Threads: values of one decision; the snapshot must outlive them. Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/evaluation_memo.h"
#include "scheduler/framework/group_scorer.h"
#include "scheduler/framework/rejections.h"
#include "scheduler/plugins/shared/column_scan.h"

namespace podium::plugins {

// One level per node, below limit(): the value id of a label, or another small number.
class LevelColumn {
 public:
  // The column of a label key; all kNoValue if no node ever had the key.
  LevelColumn(const cluster::Snapshot& snapshot, std::string_view key);
  // One level per row, chunks * kChunkRows in total, all below `limit`.
  LevelColumn(std::vector<std::uint32_t> levels, std::size_t limit);
  LevelColumn(cluster::Column<std::uint32_t> levels, std::size_t limit);
  LevelColumn(LevelColumn&&) = default;
  LevelColumn& operator=(LevelColumn&&) = default;

  std::size_t limit() const { return limit_; }
  std::uint32_t at(cluster::Row row) const {
    return chunks_[row / cluster::kChunkRows][row % cluster::kChunkRows];
  }
  std::size_t chunks() const { return chunks_.size(); }
  const std::uint32_t* chunk(std::size_t i) const { return chunks_[i]; }
  // Null if no node ever had the key, or if the levels are not label values.
  const cluster::LabelColumn* label() const { return box_ ? &**box_ : nullptr; }
  const framework::KeptCounts::LabelBox* box() const { return box_; }
  // The same levels as a column; nullopt if they are not kept as one.
  std::optional<cluster::Column<std::uint32_t>> column() const;
  // The levels that nodes of the snapshot have, as bits; 0: unknown.
  std::uint64_t levels_of_all_nodes() const;
  // The rows of a word with a nonzero level, i.e. the nodes that have the label.
  std::uint64_t present_word(std::size_t word) const;

 private:
  const framework::KeptCounts::LabelBox* box_ = nullptr;
  cluster::Column<std::uint32_t> column_;  // its chunks, if they are not a label's
  std::size_t nodes_ = 0, limit_ = 1;
  std::vector<const std::uint32_t*> chunks_;
  std::vector<std::vector<std::uint32_t>> own_;
};

// Adds amount_of(posting) to the count of its node's level. With few levels, the sums are kept in four
// parts: consecutive additions to one element would each wait for the previous store.
template <typename Count, typename AmountOf>
void add_by_level(std::span<const cluster::Posting> postings, const LevelColumn& column,
                  std::vector<Count>& count, AmountOf amount_of) {
  constexpr std::size_t kFew = 64, kParts = 4;
  if (count.size() > kFew) {
    for (const auto& posting : postings) count[column.at(posting.row)] += amount_of(posting);
    return;
  }
  std::array<Count, kFew * kParts> parts{};
  for (std::size_t i = 0; i < postings.size(); ++i) {
    parts[i % kParts * kFew + column.at(postings[i].row)] += amount_of(postings[i]);
  }
  for (std::size_t level = 0; level < count.size(); ++level) {
    for (std::size_t part = 0; part < kParts; ++part) count[level] += parts[part * kFew + level];
  }
}

// What a reason about a missing label is about: its key. A pod may name thousands of keys; the first ones are
// named, since each of them is a verdict of its own.
inline framework::Topics about_label(std::string_view key, std::size_t index) {
  constexpr std::size_t kNamed = 8;
  if (index >= kNamed) return {};
  return {{framework::Topic::label, std::string(key)}};
}

using Classes = framework::KeptCounts::Classes;

// What the thread's memo keeps of the pods of these classes on the nodes of a label; null: nothing. Valid
// until the next call.
framework::KeptCounts* kept_counts(Classes classes, const LevelColumn& column,
                                   const framework::KeptCounts::Rule& rule, bool by_row = false);

// Adds `weight` for each pod of the classes that the rule counts to the count of its node's level.
template <typename Count>
void add_pods(Classes classes, const LevelColumn& column, const framework::KeptCounts::Rule& rule,
              Count weight, std::vector<Count>& count) {
  if (auto* kept = kept_counts(classes, column, rule)) {
    const auto& known = kept->by_value(classes, *column.box(), rule);
    for (std::size_t level = 0; level < count.size(); ++level)
      count[level] += weight * static_cast<Count>(known[level]);
    return;
  }
  for (const auto* pods : classes) {
    add_by_level(pods->postings(), column, count, [&](const cluster::Posting& posting) {
      if (rule.nodes && !rule.nodes->test(posting.row)) return Count{};
      return weight *
             static_cast<Count>(rule.with_terminating ? posting.pods : posting.pods - posting.terminating);
    });
  }
}

// Pods, or weights, by the value id of one topology key. Index 0 is for nodes without the label;
// callers ignore it.
template <typename Count>
struct TopologyCounts {
  TopologyCounts(const cluster::Snapshot& snapshot, std::string_view topology_key)
      : key(topology_key), column(snapshot, topology_key), count(column.limit()) {}

  // Adds `weight` for each pod of the class. Returns false if none of its nodes has the label.
  bool add(const cluster::PodClass& pods, Count weight) {
    const auto* one = &pods;
    add_pods(std::span(&one, 1), column, {}, weight, count);
    return std::ranges::any_of(pods.postings(), [&](const cluster::Posting& posting) {
      return column.at(posting.row) != cluster::kNoValue;
    });
  }

  std::string_view key;
  LevelColumn column;
  std::vector<Count> count;
};

// Counts by topology key.
template <typename Count>
class CountsByKey {
 public:
  // The index of the key's counts, which are created on first use.
  std::size_t index_of(const cluster::Snapshot& snapshot, std::string_view key) {
    if (const auto known = find(key)) return *known;
    if (all_.size() == kFew) {
      for (std::size_t i = 0; i < all_.size(); ++i) by_key_.emplace(all_[i].key, i);
    }
    if (all_.size() >= kFew) by_key_.emplace(key, all_.size());
    all_.emplace_back(snapshot, key);
    return all_.size() - 1;
  }
  TopologyCounts<Count>& of(const cluster::Snapshot& snapshot, std::string_view key) {
    return all_[index_of(snapshot, key)];
  }
  std::optional<std::size_t> find(std::string_view key) const {
    if (by_key_.empty()) {
      const auto it = std::ranges::find(all_, key, &TopologyCounts<Count>::key);
      return it == all_.end() ? std::nullopt : std::optional<std::size_t>(it - all_.begin());
    }
    const auto it = by_key_.find(key);
    return it == by_key_.end() ? std::nullopt : std::optional(it->second);
  }

  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  const TopologyCounts<Count>& operator[](std::size_t i) const { return all_[i]; }

 private:
  // Most pods name few keys, and searching a list of these is faster than a map.
  static constexpr std::size_t kFew = 8;

  std::vector<TopologyCounts<Count>> all_;
  // Empty for up to kFew. A tree, since anyone can write thousands of keys that have one hash.
  std::map<std::string_view, std::size_t> by_key_;
};

// Rejects nodes by the flags of their level: bit 0 of flags[level] rejects with `first`, bit 1 with `second`.
void reject_by_level(cluster::NodeMask& nodes, framework::Rejections& out, const LevelColumn& column,
                     std::span<const std::uint8_t> flags, framework::VerdictId first,
                     framework::VerdictId second);

// The columns of verdicts that follow from the flags of a node's levels, for NodeFilter::declare().
// Owner: the filter.
class DeclaredLevels {
 public:
  // Adds a column with the flags of its levels. False: there are more than `most`.
  bool add(const LevelColumn& column, std::string_view key, std::span<const std::uint8_t> flags,
           std::size_t most, framework::RowInputs& inputs);

 private:
  std::deque<cluster::Column<std::uint32_t>> columns_;  // inputs have their addresses
};

// Calls f(row) for every row of the mask. Full words take a path without bit tests.
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

// One flag per level: 1 if a node of the mask has the level.
std::vector<std::uint8_t> used_levels(const LevelColumn& column, const cluster::NodeMask& nodes);

// One summand of a score, by the level of a node.
template <typename T>
struct ScoreTerm {
  LevelColumn column;
  std::vector<T> value;  // by level
};

// For the rows of a chunk, combine_levels() sets combination[i] = combination[i] * limit + level[i], and
// look_up() sets out[i] = of_level[level[i]].
void combine_levels(std::uint32_t* combination, const std::uint32_t* level, std::uint32_t limit);
void look_up(const std::uint8_t* of_level, const std::uint32_t* level, std::uint8_t* out);

// Scores that depend only on a node's levels in a few columns. raw_of(sum of the terms, in their order) is
// the raw score; final_of(raw, min, max) is the normalised score, with min and max over `nodes`. If the
// levels have few combinations, each combination is computed once; otherwise each node is. The entries of
// `out` for other rows are unspecified.
template <typename T, typename RawOf, typename FinalOf>
class LevelScore {
 public:
  LevelScore(std::span<const ScoreTerm<T>> terms, RawOf raw_of, FinalOf final_of)
      : terms_(terms), raw_of_(raw_of), final_of_(final_of) {}

  void write(const cluster::NodeMask& nodes, std::span<std::uint8_t> out) {
    const auto most = std::max<std::size_t>(1024, out.size() / 4);
    std::size_t combinations = 1;
    for (const auto& term : terms_) {
      if (combinations <= most) combinations *= term.column.limit();
    }
    if (combinations <= most)
      write_by_combination(nodes, combinations, out);
    else
      write_by_node(nodes, out);
  }

 private:
  std::int64_t note(T sum) {
    const std::int64_t raw = raw_of_(sum);
    min_ = std::min(min_, raw);
    max_ = std::max(max_, raw);
    return raw;
  }

  // The sums of the 64 rows of a word, with or without nodes.
  std::array<T, 64> sums_of_word(std::size_t word) const {
    std::array<T, 64> sums{};
    for (const auto& term : terms_) {
      const auto* level = term.column.chunk(word / kChunkWords) + word % kChunkWords * 64;
      const auto* value = term.value.data();
      for (std::size_t i = 0; i < 64; ++i) sums[i] += value[level[i]];
    }
    return sums;
  }

  void write_by_node(const cluster::NodeMask& nodes, std::span<std::uint8_t> out) {
    const auto raw = zeroed_scratch(out.size());
    auto min = min_, max = max_;
    for (std::size_t word = 0; word < nodes.words(); ++word) {
      if (!nodes.word(word)) continue;
      const auto sums = sums_of_word(word);
      for (auto bits = nodes.word(word); bits; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bits));
        const std::int64_t of_row = raw_of_(sums[i]);
        min = std::min(min, of_row);
        max = std::max(max, of_row);
        raw[word * 64 + i] = of_row;
      }
    }
    // Many nodes share few raw scores, in no order: recently computed scores are looked up.
    struct Known {
      std::int64_t raw;
      std::uint8_t final;
    };
    std::array<Known, 64> known;
    known.fill({min, static_cast<std::uint8_t>(final_of_(min, min, max))});
    each_row(nodes, [&](cluster::Row row) {
      const auto of_row = raw[row];
      auto& slot = known[static_cast<std::uint64_t>(of_row) * 0x9E3779B97F4A7C15 >> 58];
      if (slot.raw != of_row) slot = {of_row, static_cast<std::uint8_t>(final_of_(of_row, min, max))};
      out[row] = slot.final;
    });
  }

  void write_by_combination(const cluster::NodeMask& nodes, std::size_t combinations,
                            std::span<std::uint8_t> out) {
    if (terms_.size() == 1) return write_by_level(nodes, terms_[0].column, out);
    std::vector<std::uint32_t> combination(out.size());
    for (const auto& term : terms_) {
      for (std::size_t c = 0; c < term.column.chunks(); ++c) {
        combine_levels(combination.data() + c * cluster::kChunkRows, term.column.chunk(c),
                       static_cast<std::uint32_t>(term.column.limit()));
      }
    }
    write_by_level(nodes, LevelColumn(std::move(combination), combinations), out);
  }

  void write_by_level(const cluster::NodeMask& nodes, const LevelColumn& combination,
                      std::span<std::uint8_t> out) {
    const auto used = used_levels(combination, nodes);
    std::vector<std::int64_t> raw(combination.limit());
    std::vector<std::uint8_t> score(combination.limit());
    for (std::size_t i = 0; i < score.size(); ++i) {
      if (used[i]) raw[i] = note(sum_of(i));
    }
    for (std::size_t i = 0; i < score.size(); ++i) {
      if (used[i]) score[i] = static_cast<std::uint8_t>(final_of_(raw[i], min_, max_));
    }
    for (std::size_t c = 0; c < combination.chunks(); ++c) {
      look_up(score.data(), combination.chunk(c), out.data() + c * cluster::kChunkRows);
    }
  }

  T sum_of(std::size_t combination) const {
    std::size_t scale = 1;
    for (const auto& term : terms_) scale *= term.column.limit();
    T sum{};
    for (const auto& term : terms_) {
      scale /= term.column.limit();
      sum += term.value[combination / scale % term.column.limit()];
    }
    return sum;
  }

  std::span<const ScoreTerm<T>> terms_;
  RawOf raw_of_;
  FinalOf final_of_;
  std::int64_t min_ = std::numeric_limits<std::int64_t>::max(),
               max_ = std::numeric_limits<std::int64_t>::min();
};

// The combinations of levels in some columns, as groups of nodes. Group and level convert as in LevelScore.
class LevelGroups {
 public:
  // Adds a column. False: there would be too many groups, or its levels are not kept as a column.
  bool add(const LevelColumn& column);
  std::size_t count() const { return count_; }
  std::size_t level(std::size_t group, std::size_t column) const {
    return group / columns_[column].scale % columns_[column].limit;
  }
  // `what`: the plugin, for the columns' labels.
  void declare(std::string_view what, framework::RowInputs& inputs) const;
  void write(const framework::ChunkRows& rows, std::uint8_t* out) const;

 private:
  struct Each {
    cluster::Column<std::uint32_t> levels;
    std::size_t limit, scale;
  };
  std::vector<Each> columns_;
  std::size_t count_ = 1;
};

// A LevelScore by group. Terms and result are those of LevelScore.
template <typename T, typename RawOf, typename FinalOf>
class LevelGroupScorer final : public framework::GroupScorer {
 public:
  LevelGroupScorer(std::string_view plugin, LevelGroups groups, std::vector<std::vector<T>> values,
                   RawOf raw_of, FinalOf final_of)
      : plugin_(plugin),
        groups_(std::move(groups)),
        values_(std::move(values)),
        raw_of_(raw_of),
        final_of_(final_of) {}

  std::size_t groups() const override { return groups_.count(); }
  void declare(framework::RowInputs& inputs) const override { groups_.declare(plugin_, inputs); }
  void group_rows(const framework::ChunkRows& rows, std::uint8_t* out) const override {
    groups_.write(rows, out);
  }
  void score_groups(const framework::UsedGroups& used, std::span<std::uint8_t> scores) const override {
    auto min = std::numeric_limits<std::int64_t>::max(), max = std::numeric_limits<std::int64_t>::min();
    std::vector<std::int64_t> raw(used.size());
    for (std::size_t group = 0; group < used.size(); ++group) {
      if (!used[group]) continue;
      T sum{};
      for (std::size_t i = 0; i < values_.size(); ++i) sum += values_[i][groups_.level(group, i)];
      raw[group] = raw_of_(sum);
      min = std::min(min, raw[group]);
      max = std::max(max, raw[group]);
    }
    for (std::size_t group = 0; group < used.size(); ++group) {
      if (used[group]) scores[group] = static_cast<std::uint8_t>(final_of_(raw[group], min, max));
    }
  }

 private:
  const std::string_view plugin_;
  const LevelGroups groups_;
  const std::vector<std::vector<T>> values_;  // by column and level
  const RawOf raw_of_;
  const FinalOf final_of_;
};

// The scorer of these terms for a thread with an EvaluationMemo; null: without a memo, or if a LevelScore is
// needed. Takes the values of the terms if it is not null.
template <typename T, typename RawOf, typename FinalOf>
std::unique_ptr<framework::NodeScorer> group_scorer(std::string_view plugin, std::vector<ScoreTerm<T>>& terms,
                                                    RawOf raw_of, FinalOf final_of) {
  if (!framework::EvaluationMemo::of_thread()) return nullptr;
  LevelGroups groups;
  for (const auto& term : terms) {
    if (!groups.add(term.column)) return nullptr;
  }
  std::vector<std::vector<T>> values;
  for (auto& term : terms) values.push_back(std::move(term.value));
  return std::make_unique<LevelGroupScorer<T, RawOf, FinalOf>>(plugin, std::move(groups), std::move(values),
                                                               raw_of, final_of);
}

}  // namespace podium::plugins
