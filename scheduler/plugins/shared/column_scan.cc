#include "scheduler/plugins/shared/column_scan.h"

#include <algorithm>

#include "scheduler/plugins/shared/exact_division.h"

namespace podium::plugins {
namespace {

// Up to about this many ids, comparing the column with each id is faster than a table lookup per row.
constexpr std::size_t kComparedIds = 4;

PODIUM_VECTOR_CLONES
void mark_equal(const std::uint32_t* rows, std::uint32_t id, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < kChunkRows; ++i) bytes[i] |= rows[i] == id ? 0xFF : 0;
}

PODIUM_VECTOR_CLONES_WIDE
void mark_short(const std::int64_t* allocatable, const std::int64_t* used, std::int64_t want,
                std::size_t rows, std::uint8_t* __restrict insufficient,
                std::uint8_t* __restrict unresolvable) {
  for (std::size_t i = 0; i < rows; ++i) {
    insufficient[i] = want > wrapping_minus(allocatable[i], used[i]) ? 0xFF : 0;
    unresolvable[i] = want > allocatable[i] ? 0xFF : 0;
  }
}

PODIUM_VECTOR_CLONES
void mark_full(const std::int64_t* allocatable, const std::int32_t* pods, std::size_t rows,
               std::uint8_t* __restrict full) {
  for (std::size_t i = 0; i < rows; ++i) full[i] = std::int64_t{pods[i]} + 1 > allocatable[i] ? 0xFF : 0;
}

PODIUM_VECTOR_CLONES
std::int64_t max_of_word(const std::int64_t* values, std::uint64_t mask) {
  std::int64_t max = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::int64_t value = values[i] & -static_cast<std::int64_t>(mask >> i & 1);
    max = max > value ? max : value;
  }
  return max;
}

PODIUM_VECTOR_CLONES
void add_to_word(std::int64_t* values, std::uint64_t mask, std::int64_t amount) {
  for (std::size_t i = 0; i < 64; ++i) values[i] += amount & -static_cast<std::int64_t>(mask >> i & 1);
}

PODIUM_VECTOR_CLONES
void scale_small(const std::int64_t* values, std::size_t size, double max, std::uint8_t* __restrict out) {
  for (std::size_t i = 0; i < size; ++i) {
    const double scaled = small_to_double(static_cast<std::uint64_t>(values[i])) * 100.0 / max;
    out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(scaled));
  }
}

PODIUM_VECTOR_CLONES
void narrow_rows(const std::int32_t* __restrict values, std::size_t rows, std::uint8_t* __restrict out) {
  for (std::size_t i = 0; i < rows; ++i) out[i] = static_cast<std::uint8_t>(values[i]);
}

}  // namespace

void IdSet::insert(std::uint32_t id) {
  ids_.push_back(id);
  if (ids_.size() <= kComparedIds) return;
  if (table_.empty()) {
    table_.resize(limit_);
    for (const auto earlier : ids_) table_[earlier] = 0xFF;
  }
  table_[id] = 0xFF;
}

ChunkWords IdSet::match(std::span<const std::uint32_t, kChunkRows> rows) const {
  ChunkBytes bytes{};
  if (table_.empty()) {
    for (const auto id : ids_) mark_equal(rows.data(), id, bytes.data());
  } else {
    for (std::size_t i = 0; i < kChunkRows; ++i) bytes[i] = table_[rows[i]];
  }
  return cluster::to_words(bytes);
}

void declare_taints(const cluster::Column<cluster::TaintSetId>& sets, const IdSet& ids,
                    framework::RowInputs& inputs) {
  inputs.columns.push_back({framework::label_of("taints"), &sets});
  inputs.asks.insert(inputs.asks.end(), ids.ids().begin(), ids.ids().end());
}

WordRange words_with_nodes(const cluster::NodeMask& nodes, std::size_t chunk) {
  const auto words = nodes.chunk(chunk);
  std::size_t first = 0, end = kChunkWords;
  while (first < end && words[first] == 0) ++first;
  while (first < end && words[end - 1] == 0) --end;
  return {first, end - first};
}

void find_short(std::span<const std::int64_t, kChunkRows> allocatable,
                std::span<const std::int64_t, kChunkRows> used, std::int64_t want, WordRange words,
                ChunkWords& insufficient, ChunkWords& unresolvable) {
  ChunkBytes now{}, ever{};
  const auto row = words.first * 64;
  mark_short(&allocatable[row], &used[row], want, words.count * 64, &now[row], &ever[row]);
  insufficient = cluster::to_words(now);
  unresolvable = cluster::to_words(ever);
}

void find_full(std::span<const std::int64_t, kChunkRows> allocatable_pods,
               std::span<const std::int32_t, kChunkRows> pods, WordRange words, ChunkWords& full) {
  ChunkBytes bytes{};
  const auto row = words.first * 64;
  mark_full(&allocatable_pods[row], &pods[row], words.count * 64, &bytes[row]);
  full = cluster::to_words(bytes);
}

void reject_chunk(cluster::NodeMask& nodes, std::size_t chunk, const ChunkWords& rows,
                  framework::VerdictId id, framework::Rejections& out) {
  for (std::size_t w = 0; w < kChunkWords; ++w) {
    const auto word = chunk * kChunkWords + w;
    if (const auto bits = nodes.word(word) & rows[w]) out.reject_word(nodes, word, bits, id);
  }
}

void add_where(const ChunkWords& rows, std::int64_t amount, std::span<std::int64_t, kChunkRows> values) {
  for (std::size_t w = 0; w < kChunkWords; ++w) {
    if (rows[w]) add_to_word(&values[w * 64], rows[w], amount);
  }
}

std::int64_t max_of(const cluster::NodeMask& nodes, std::span<const std::int64_t> values) {
  std::int64_t max = 0;
  for (std::size_t w = 0; w < nodes.words(); ++w) {
    if (nodes.word(w)) max = std::max(max, max_of_word(&values[w * 64], nodes.word(w)));
  }
  return max;
}

void scale_to_100(std::span<const std::int64_t> values, std::int64_t max, std::span<std::uint8_t> out) {
  if (max < kSmall) return scale_small(values.data(), values.size(), static_cast<double>(max), out.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(static_cast<__int128>(values[i]) * 100 / max);
  }
}

void narrow(std::span<const std::int32_t> values, std::uint8_t* out) {
  narrow_rows(values.data(), values.size(), out);
}

std::span<std::int64_t> zeroed_scratch(std::size_t rows) {
  thread_local std::vector<std::int64_t> scratch;
  scratch.assign(rows, 0);
  return scratch;
}

}  // namespace podium::plugins
