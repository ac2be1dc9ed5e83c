#include "scheduler/framework/score_loops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "scheduler/cluster/node_mask.h"
#include "scheduler/cluster/vector_clones.h"

namespace podium::framework {
namespace {

using cluster::kChunkRows;
using cluster::kChunkWords;

PODIUM_VECTOR_CLONES
void expand(const std::uint64_t* words, std::uint8_t* __restrict bytes) {
  for (std::size_t w = 0; w < kChunkWords; ++w) {
    for (std::size_t i = 0; i < 64; ++i) {
      bytes[w * 64 + i] = static_cast<std::uint8_t>(0 - (words[w] >> i & 1));
    }
  }
}

PODIUM_VECTOR_CLONES
std::uint8_t keep_inside_chunk(const std::uint8_t* __restrict scores, const std::uint8_t* __restrict mask,
                               std::uint8_t* __restrict out) {
  std::uint8_t most = 0;
  for (std::size_t i = 0; i < kChunkRows; ++i) {
    out[i] = scores[i] & mask[i];
    most = most > out[i] ? most : out[i];
  }
  return most;
}

// GCC does not clone templates. So each loop is a template, which the cloned functions of its types inline.
template <typename T>
[[gnu::always_inline]] inline void add_scaled(const std::uint8_t* __restrict scores, T weight,
                                              T* __restrict sums) {
  for (std::size_t i = 0; i < kChunkRows; ++i) sums[i] = static_cast<T>(sums[i] + scores[i] * weight);
}
PODIUM_VECTOR_CLONES
void add_chunk(const std::uint8_t* __restrict scores, std::int16_t weight, std::int16_t* __restrict sums) {
  add_scaled(scores, weight, sums);
}
PODIUM_VECTOR_CLONES
void add_chunk(const std::uint8_t* __restrict scores, std::int64_t weight, std::int64_t* __restrict sums) {
  add_scaled(scores, weight, sums);
}

PODIUM_VECTOR_CLONES
void widen(const std::int16_t* __restrict sums, std::int64_t* __restrict total) {
  for (std::size_t i = 0; i < kChunkRows; ++i) total[i] = sums[i];
}

template <typename T>
[[gnu::always_inline]] inline T largest(const T* values) {
  T most = values[0];
  for (std::size_t i = 1; i < kChunkRows; ++i) most = values[i] > most ? values[i] : most;
  return most;
}
PODIUM_VECTOR_CLONES
std::int16_t largest_of(const std::int16_t* values) { return largest(values); }
PODIUM_VECTOR_CLONES
std::int64_t largest_of(const std::int64_t* values) { return largest(values); }

// The largest below `limit`, or 0. Selects by a mask: for a condition GCC emits a branch.
template <typename T>
[[gnu::always_inline]] inline T largest_under(const T* values, T limit) {
  T most = 0;
  for (std::size_t i = 0; i < kChunkRows; ++i) {
    const auto value = static_cast<T>(values[i] & -static_cast<T>(values[i] < limit));
    most = value > most ? value : most;
  }
  return most;
}
PODIUM_VECTOR_CLONES
std::int16_t largest_below_of(const std::int16_t* values, std::int16_t limit) {
  return largest_under(values, limit);
}
PODIUM_VECTOR_CLONES
std::int64_t largest_below_of(const std::int64_t* values, std::int64_t limit) {
  return largest_under(values, limit);
}
PODIUM_VECTOR_CLONES
std::uint8_t largest_below_of(const std::uint8_t* values, std::uint8_t limit) {
  return largest_under(values, limit);
}

// A byte counts the 16 rounds without overflow.
PODIUM_VECTOR_CLONES
std::size_t count_of(const std::uint8_t* values, std::uint8_t least) {
  std::array<std::uint8_t, 64> counts{};
  for (std::size_t i = 0; i < kChunkRows; i += 64) {
    for (std::size_t j = 0; j < 64; ++j) counts[j] += values[i + j] >= least;
  }
  std::size_t sum = 0;
  for (const auto count : counts) sum += count;
  return sum;
}
PODIUM_VECTOR_CLONES
std::size_t count_of(const std::int64_t* values, std::int64_t least) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < kChunkRows; ++i) sum += values[i] >= least;
  return sum;
}

PODIUM_VECTOR_CLONES
std::int64_t largest_rest_of(const std::int64_t* totals, const std::uint8_t* scores, std::int64_t weight) {
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < kChunkRows; ++i) most = std::max(most, totals[i] - weight * scores[i]);
  return most;
}

template <typename T>
[[gnu::always_inline]] inline void mark_from(const T* values, T least, std::uint8_t* __restrict bytes) {
  for (std::size_t i = 0; i < kChunkRows; ++i) bytes[i] = values[i] >= least ? 0xFF : 0;
}
PODIUM_VECTOR_CLONES
void mark(const std::uint8_t* values, std::uint8_t least, std::uint8_t* __restrict bytes) {
  mark_from(values, least, bytes);
}
PODIUM_VECTOR_CLONES
void mark(const std::int16_t* values, std::int16_t least, std::uint8_t* __restrict bytes) {
  mark_from(values, least, bytes);
}
PODIUM_VECTOR_CLONES
void mark(const std::int64_t* values, std::int64_t least, std::uint8_t* __restrict bytes) {
  mark_from(values, least, bytes);
}

PODIUM_VECTOR_CLONES
void mark_rest(const std::int64_t* totals, const std::uint8_t* scores, std::int64_t weight, std::int64_t rest,
               std::uint8_t* __restrict bytes) {
  for (std::size_t i = 0; i < kChunkRows; ++i) bytes[i] = totals[i] - weight * scores[i] == rest ? 0xFF : 0;
}

using WordTotals = std::array<std::int64_t, 64>;

PODIUM_VECTOR_CLONES
std::uint8_t largest_of(const std::uint8_t* values) { return largest(values); }

PODIUM_VECTOR_CLONES
void add_word(const std::uint8_t* __restrict scores, std::int64_t weight, std::int64_t* __restrict sums) {
  for (std::size_t i = 0; i < 64; ++i) sums[i] += scores[i] * weight;
}

// The largest of a word's 64 values below `limit`, or 0, and the rows with `value`.
std::int64_t largest_below_in(const std::int64_t* values, std::int64_t limit) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    if (values[i] < limit) most = std::max(most, values[i]);
  }
  return most;
}
std::uint64_t rows_with(const std::int64_t* values, std::int64_t value) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < 64; ++i) rows |= std::uint64_t{values[i] == value} << i;
  return rows;
}

// Updates a summary for a word that has other values now. False: it does not follow from these.
bool update(TotalSummary& summary, std::size_t word, const std::int64_t* before, const std::int64_t* now) {
  const auto others = summary.count - static_cast<std::uint32_t>(std::popcount(summary.rows[word]));
  if (summary.most == 0 || others == 0) return false;
  const auto most = *std::max_element(now, now + 64);
  if (most > summary.most) {
    summary = {.most = most, .next = std::max(summary.most, largest_below_in(now, most)), .count = 0};
  } else {
    if (rows_with(before, summary.next) && !rows_with(now, summary.next)) return false;
    summary.next = std::max(summary.next, largest_below_in(now, summary.most));
    summary.count = others;
  }
  summary.rows[word] = rows_with(now, summary.most);
  summary.count += static_cast<std::uint32_t>(std::popcount(summary.rows[word]));
  return true;
}

template <typename T>
TotalSummary summarize(const T* values) {
  const auto most = largest_of(values);
  cluster::ChunkBytes bytes;
  mark(values, most, bytes.data());
  const auto rows = cluster::to_words(bytes);
  return {.most = static_cast<std::int64_t>(most),
          .next = static_cast<std::int64_t>(largest_below_of(values, most)),
          .count = static_cast<std::uint32_t>(cluster::count(rows)),
          .rows = rows};
}

// The finalizer of SplitMix64 but for its last step, x ^ x >> 31, which leaves the first 31 bits as they are.
inline std::uint64_t mix_but_last(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  return (x ^ x >> 27) * 0x94d049bb133111eb;
}
constexpr int kAfterStart = 33;  // bits

PODIUM_VECTOR_CLONES_WIDE
std::uint64_t highest_of_chunk(std::uint64_t pod, const std::uint64_t* names) {
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < kChunkRows; ++i) {
    const auto hash = mix_but_last(pod ^ names[i]);
    highest = hash > highest ? hash : highest;
  }
  return highest;
}

PODIUM_VECTOR_CLONES_WIDE
std::uint64_t highest_in_word(std::uint64_t pod, const std::uint64_t* names, std::uint64_t rows) {
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto hash = mix_but_last(pod ^ names[i]) & (0 - (rows >> i & 1));
    highest = hash > highest ? hash : highest;
  }
  return highest;
}

PODIUM_VECTOR_CLONES_WIDE
void mark_start(std::uint64_t pod, const std::uint64_t* names, std::uint64_t start,
                std::uint8_t* __restrict bytes) {
  for (std::size_t i = 0; i < kChunkRows; ++i)
    bytes[i] = mix_but_last(pod ^ names[i]) >> kAfterStart == start ? 0xFF : 0;
}

}  // namespace

cluster::ChunkBytes bytes_of(const cluster::ChunkWords& words) {
  cluster::ChunkBytes bytes;
  expand(words.data(), bytes.data());
  return bytes;
}

ScoreSummary keep_inside(const std::uint8_t* scores, const cluster::ChunkBytes& mask, std::uint8_t* out) {
  const auto most = keep_inside_chunk(scores, mask.data(), out);
  return {.most = most, .count = static_cast<std::uint32_t>(count_of(out, most))};
}

ScoreSummary summary_of(Scores::Values scores) {
  const auto most = largest_of(scores.data());
  return {.most = most, .count = static_cast<std::uint32_t>(count_of(scores.data(), most))};
}

TotalSummary summary_of(Totals::Values totals) { return summarize(totals.data()); }

// The weights of the default profile and most others have sums that fit into 16 bits.
TotalSummary add_up(std::span<const Weighted> strategies, Totals::Chunk& total) {
  std::int64_t most = 0;
  for (const auto& strategy : strategies) most += kMaxScore * strategy.weight;
  if (most > std::numeric_limits<std::int16_t>::max()) {
    total.fill(0);
    for (const auto& [scores, weight] : strategies) add_chunk(scores, weight, total.data());
    return summarize(total.data());
  }
  std::array<std::int16_t, kChunkRows> sums{};
  for (const auto& [scores, weight] : strategies)
    add_chunk(scores, static_cast<std::int16_t>(weight), sums.data());
  widen(sums.data(), total.data());
  return summarize(sums.data());
}

bool add_up_word(std::span<const Weighted> strategies, std::size_t word, Totals::Chunk& total,
                 TotalSummary& summary) {
  WordTotals sums{};
  for (const auto& [scores, weight] : strategies) add_word(scores + word * 64, weight, sums.data());
  auto* const of_word = &total[word * 64];
  const bool is_known = update(summary, word, of_word, sums.data());
  std::ranges::copy(sums, of_word);
  return is_known;
}

std::int64_t largest_without(std::span<const std::int64_t, kChunkRows> total, const Weighted& strategy) {
  return largest_rest_of(total.data(), strategy.scores, strategy.weight);
}

cluster::ChunkWords with_rest(std::span<const std::int64_t, kChunkRows> total, const Weighted& strategy,
                              std::int64_t rest) {
  cluster::ChunkBytes bytes;
  mark_rest(total.data(), strategy.scores, strategy.weight, rest, bytes.data());
  return cluster::to_words(bytes);
}

std::uint64_t tie_hash(std::uint64_t pod, std::uint64_t name) {
  const auto x = mix_but_last(pod ^ name);
  return x ^ x >> 31;
}

std::uint64_t highest_start(std::uint64_t pod, std::span<const std::uint64_t, kChunkRows> names) {
  return highest_of_chunk(pod, names.data()) >> kAfterStart;
}

std::uint64_t highest_start(std::uint64_t pod, std::span<const std::uint64_t, kChunkRows> names,
                            const cluster::ChunkWords& rows) {
  std::uint64_t highest = 0;
  for (std::size_t w = 0; w < kChunkWords; ++w) {
    if (rows[w]) highest = std::max(highest, highest_in_word(pod, &names[w * 64], rows[w]));
  }
  return highest >> kAfterStart;
}

cluster::ChunkWords with_start(std::uint64_t pod, std::span<const std::uint64_t, kChunkRows> names,
                               std::uint64_t start) {
  cluster::ChunkBytes bytes;
  mark_start(pod, names.data(), start, bytes.data());
  return cluster::to_words(bytes);
}

template <typename T>
std::size_t count_at_least(std::span<const T, kChunkRows> values, T least) {
  return count_of(values.data(), least);
}

template <typename T>
T largest_below(std::span<const T, kChunkRows> values, T limit) {
  return largest_below_of(values.data(), limit);
}

template <typename T>
cluster::ChunkWords at_least(std::span<const T, kChunkRows> values, T least) {
  cluster::ChunkBytes bytes;
  mark(values.data(), least, bytes.data());
  return cluster::to_words(bytes);
}

template std::size_t count_at_least(std::span<const std::uint8_t, kChunkRows>, std::uint8_t);
template std::size_t count_at_least(std::span<const std::int64_t, kChunkRows>, std::int64_t);
template std::uint8_t largest_below(std::span<const std::uint8_t, kChunkRows>, std::uint8_t);
template std::int64_t largest_below(std::span<const std::int64_t, kChunkRows>, std::int64_t);
template cluster::ChunkWords at_least(std::span<const std::uint8_t, kChunkRows>, std::uint8_t);
template cluster::ChunkWords at_least(std::span<const std::int64_t, kChunkRows>, std::int64_t);

}  // namespace podium::framework
