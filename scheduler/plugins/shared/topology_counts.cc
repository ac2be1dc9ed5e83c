#include "scheduler/plugins/shared/topology_counts.h"

#include <array>
#include <bit>
#include <cstring>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/column_scan.h"

namespace podium::plugins {
namespace {

static_assert(std::endian::native == std::endian::little, "low_bits reads bytes in row order");

// Bit `shift` of each of 64 bytes, as one word. The product moves the bit of byte i to bit i of the top byte.
std::uint64_t low_bits(const std::array<std::uint8_t, 64>& bytes, int shift) {
  std::uint64_t word = 0;
  for (int group = 0; group < 8; ++group) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes.data() + group * 8, 8);
    eight = eight >> shift & 0x0101010101010101;
    word |= (eight * 0x0102040810204080 >> 56) << (group * 8);
  }
  return word;
}

}  // namespace

LevelColumn::LevelColumn(const cluster::Snapshot& snapshot, std::string_view key)
    : box_(snapshot.labels().box(key)), nodes_(snapshot.node_count()) {
  static constexpr std::array<std::uint32_t, kChunkRows> kNone{};
  chunks_.assign(snapshot.chunks(), kNone.data());
  if (!box_) return;
  limit_ = label()->id_limit();
  for (std::size_t c = 0; c < snapshot.chunks(); ++c) {
    cluster::RareColumn<cluster::ValueId>::Chunk space;
    const auto levels = label()->values().chunk(c, space);
    chunks_[c] = levels.data();
    if (levels.data() != space.data()) continue;
    // Moving a vector keeps its elements where they are.
    own_.emplace_back(levels.begin(), levels.end());
    chunks_[c] = own_.back().data();
  }
}

std::uint64_t LevelColumn::levels_of_all_nodes() const {
  if (!box_ || limit_ > 64) return 0;
  std::uint64_t levels = 0;
  std::size_t labelled = 0;
  for (cluster::ValueId value = 1; value < limit_; ++value) {
    const auto nodes = label()->nodes_with(value);
    if (nodes > 0) levels |= std::uint64_t{1} << value;
    labelled += nodes;
  }
  return labelled < nodes_ ? levels | 1 : levels;
}

LevelColumn::LevelColumn(std::vector<std::uint32_t> levels, std::size_t limit) : limit_(limit) {
  const auto& own = own_.emplace_back(std::move(levels));
  for (std::size_t c = 0; c * kChunkRows < own.size(); ++c) chunks_.push_back(own.data() + c * kChunkRows);
}

LevelColumn::LevelColumn(cluster::Column<std::uint32_t> levels, std::size_t limit)
    : column_(std::move(levels)), limit_(limit) {
  for (std::size_t c = 0; c < column_.chunks(); ++c) chunks_.push_back(column_.chunk(c).data());
}

framework::KeptCounts* kept_counts(Classes classes, const LevelColumn& column,
                                   const framework::KeptCounts::Rule& rule, bool by_row) {
  // To count a few nodes takes less time than to look for their counts.
  constexpr std::size_t kFewNodes = 64, kManyClasses = 64;
  auto* const memo = framework::EvaluationMemo::of_thread();
  if (!memo || !column.box() || classes.size() > kManyClasses) return nullptr;
  const auto number = [](const auto* of) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(of));
  };
  std::vector<std::int64_t> key{number(column.label()), by_row, rule.with_terminating, rule.nodes != nullptr};
  std::size_t nodes = 0;
  for (const auto* pods : classes) {
    nodes += pods->postings().size();
    key.push_back(number(pods));
  }
  return nodes > kFewNodes ? &memo->counts(key) : nullptr;
}

PODIUM_VECTOR_CLONES
void combine_levels(std::uint32_t* combination, const std::uint32_t* level, std::uint32_t limit) {
  for (std::size_t i = 0; i < kChunkRows; ++i) combination[i] = combination[i] * limit + level[i];
}

PODIUM_VECTOR_CLONES
void look_up(const std::uint8_t* of_level, const std::uint32_t* level, std::uint8_t* out) {
  for (std::size_t i = 0; i < kChunkRows; ++i) out[i] = of_level[level[i]];
}

namespace {

// The levels of the rows of a word, as bits. All levels are below 64.
PODIUM_VECTOR_CLONES_WIDE
std::uint64_t levels_in_word(const std::uint32_t* level, std::uint64_t rows) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < 64; ++i) found |= (rows >> i & 1) << level[i];
  return found;
}

// Calls f(level) for every node in a word of the mask.
template <typename F>
void each_level(const LevelColumn& column, const cluster::NodeMask& nodes, std::size_t word, F&& f) {
  const auto* level = column.chunk(word / kChunkWords) + word % kChunkWords * 64;
  if (nodes.word(word) == ~std::uint64_t{0}) {
    for (std::size_t i = 0; i < 64; ++i) f(level[i]);
  } else {
    for (auto bits = nodes.word(word); bits; bits &= bits - 1) f(level[std::countr_zero(bits)]);
  }
}

}  // namespace

std::vector<std::uint8_t> used_levels(const LevelColumn& column, const cluster::NodeMask& nodes) {
  std::vector<std::uint8_t> used(column.limit());
  if (used.size() > 64) {
    for (std::size_t w = 0; w < nodes.words(); ++w) {
      each_level(column, nodes, w, [&](auto level) { used[level] = 1; });
    }
    return used;
  }
  // Up to 64 levels fit into a register. The loop stops early once it has found all of them.
  const auto all = column.levels_of_all_nodes();
  std::uint64_t found = 0;
  for (std::size_t w = 0; w < nodes.words() && (all == 0 || (found & all) != all); ++w) {
    if (nodes.word(w) == 0) continue;
    found |= levels_in_word(column.chunk(w / kChunkWords) + w % kChunkWords * 64, nodes.word(w));
  }
  for (std::size_t level = 0; level < used.size(); ++level) used[level] = found >> level & 1;
  return used;
}

std::uint64_t LevelColumn::present_word(std::size_t word) const {
  const auto* level = chunks_[word / kChunkWords] + word % kChunkWords * 64;
  std::array<std::uint8_t, 64> present;
  for (std::size_t i = 0; i < 64; ++i) present[i] = level[i] != 0;
  return low_bits(present, 0);
}

void reject_by_level(cluster::NodeMask& nodes, framework::Rejections& out, const LevelColumn& column,
                     std::span<const std::uint8_t> flags, framework::VerdictId first,
                     framework::VerdictId second) {
  for (std::size_t w = 0; w < nodes.words(); ++w) {
    if (!nodes.word(w)) continue;
    const auto* level = column.chunk(w / kChunkWords) + w % kChunkWords * 64;
    std::array<std::uint8_t, 64> flag;
    std::uint8_t any = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      flag[i] = flags[level[i]];
      any |= flag[i];
    }
    if (any & 1) {
      if (const auto bits = low_bits(flag, 0) & nodes.word(w)) out.reject_word(nodes, w, bits, first);
    }
    if (any & 2) {
      if (const auto bits = low_bits(flag, 1) & nodes.word(w)) out.reject_word(nodes, w, bits, second);
    }
  }
}

bool DeclaredLevels::add(const LevelColumn& column, std::string_view key, std::span<const std::uint8_t> flags,
                         std::size_t most, framework::RowInputs& inputs) {
  auto levels = column.column();
  if (!levels || column.limit() > most) return false;
  inputs.asks.push_back(static_cast<std::int64_t>(column.limit()));
  inputs.asks.insert(inputs.asks.end(), flags.begin(), flags.end());
  if (column.limit() > 1)
    inputs.columns.push_back({framework::label_of(key), &columns_.emplace_back(*levels)});
  else  // no node has it, and the reason names it
    inputs.asks.push_back(static_cast<std::int64_t>(framework::label_of(key)));
  return true;
}

std::optional<cluster::Column<std::uint32_t>> LevelColumn::column() const {
  if (box_) return label()->values().column(chunks());
  // Without the label all levels are 0.
  if (column_.chunks() > 0 || limit_ == 1) return column_;
  return std::nullopt;
}

bool LevelGroups::add(const LevelColumn& column) {
  auto levels = column.column();
  if (!levels || count_ * column.limit() > framework::GroupScorer::kMost) return false;
  // The last column changes fastest, as in combine_levels().
  for (auto& each : columns_) each.scale *= column.limit();
  columns_.push_back({std::move(*levels), column.limit(), 1});
  count_ *= column.limit();
  return true;
}

void LevelGroups::declare(std::string_view what, framework::RowInputs& inputs) const {
  for (const auto& each : columns_) {
    inputs.asks.push_back(static_cast<std::int64_t>(each.limit));
    if (each.limit == 1) continue;
    inputs.columns.push_back({framework::label_of(what, inputs.columns.size()), &each.levels});
  }
}

namespace {

void add_levels(const std::uint32_t* levels, std::uint8_t scale, std::uint8_t* __restrict groups,
                std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i)
    groups[i] = static_cast<std::uint8_t>(groups[i] + scale * static_cast<std::uint8_t>(levels[i]));
}

}  // namespace

void LevelGroups::write(const framework::ChunkRows& rows, std::uint8_t* out) const {
  std::fill_n(out, rows.count, std::uint8_t{0});
  for (const auto& each : columns_) {
    if (each.limit == 1) continue;
    add_levels(each.levels.chunk(rows.chunk).data() + rows.first, static_cast<std::uint8_t>(each.scale), out,
               rows.count);
  }
}

}  // namespace podium::plugins
