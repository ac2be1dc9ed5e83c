#include "scheduler/framework/score_loops.h"

#include <algorithm>
#include <array>
#include <limits>

#include "scheduler/cluster/vector_clones.h"

namespace podium::framework {
namespace {

using cluster::kChunkRows;

PODIUM_VECTOR_CLONES
void expand(const std::uint64_t* words, std::size_t count, std::uint8_t* __restrict bytes) {
  for (std::size_t w = 0; w < count; ++w) {
    for (std::size_t i = 0; i < 64; ++i) {
      bytes[w * 64 + i] = static_cast<std::uint8_t>(0 - (words[w] >> i & 1));
    }
  }
}

PODIUM_VECTOR_CLONES
std::uint8_t keep_inside_chunk(std::uint8_t* __restrict scores, const std::uint8_t* __restrict mask) {
  std::uint8_t most = 0;
  for (std::size_t i = 0; i < kChunkRows; ++i) {
    scores[i] &= mask[i];
    most = most > scores[i] ? most : scores[i];
  }
  return most;
}

PODIUM_VECTOR_CLONES
void add_chunk(const std::uint8_t* __restrict scores, std::uint32_t weight, std::uint32_t* __restrict sums) {
  for (std::size_t i = 0; i < kChunkRows; ++i) sums[i] += scores[i] * weight;
}

PODIUM_VECTOR_CLONES
void add_chunk_wide(const std::uint8_t* __restrict scores, std::int64_t weight,
                    std::int64_t* __restrict sums) {
  for (std::size_t i = 0; i < kChunkRows; ++i) sums[i] += scores[i] * weight;
}

PODIUM_VECTOR_CLONES
void widen(const std::uint32_t* __restrict sums, std::int64_t* __restrict total) {
  for (std::size_t i = 0; i < kChunkRows; ++i) total[i] = sums[i];
}

// Overloads instead of a template: GCC does not clone templates.
PODIUM_VECTOR_CLONES
std::uint8_t largest_of(const std::uint8_t* values) {
  std::uint8_t most = values[0];
  for (std::size_t i = 1; i < kChunkRows; ++i) most = values[i] > most ? values[i] : most;
  return most;
}
PODIUM_VECTOR_CLONES
std::int64_t largest_of(const std::int64_t* values) {
  std::int64_t most = values[0];
  for (std::size_t i = 1; i < kChunkRows; ++i) most = values[i] > most ? values[i] : most;
  return most;
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

PODIUM_VECTOR_CLONES
void mark(const std::uint8_t* values, std::uint8_t least, std::uint8_t* __restrict bytes) {
  for (std::size_t i = 0; i < kChunkRows; ++i) bytes[i] = values[i] >= least ? 0xFF : 0;
}
PODIUM_VECTOR_CLONES
void mark(const std::int64_t* values, std::int64_t least, std::uint8_t* __restrict bytes) {
  for (std::size_t i = 0; i < kChunkRows; ++i) bytes[i] = values[i] >= least ? 0xFF : 0;
}

}  // namespace

std::vector<std::uint8_t> bytes_of(const cluster::NodeMask& mask) {
  std::vector<std::uint8_t> bytes(mask.words() * 64);
  std::vector<std::uint64_t> words(mask.words());
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = mask.word(w);
  expand(words.data(), words.size(), bytes.data());
  return bytes;
}

std::uint8_t keep_inside(std::span<std::uint8_t> scores, std::span<const std::uint8_t> mask) {
  std::uint8_t most = 0;
  for (std::size_t i = 0; i < scores.size(); i += kChunkRows) {
    most = std::max(most, keep_inside_chunk(&scores[i], &mask[i]));
  }
  return most;
}

void add_up(std::span<const Weighted> strategies, std::span<std::int64_t> total) {
  std::int64_t most = 0;
  for (const auto& strategy : strategies) most += kMaxScore * strategy.weight;
  if (most > std::numeric_limits<std::uint32_t>::max()) {
    for (const auto& [scores, weight] : strategies) {
      for (std::size_t i = 0; i < total.size(); i += kChunkRows)
        add_chunk_wide(scores + i, weight, &total[i]);
    }
    return;
  }
  std::array<std::uint32_t, kChunkRows> sums;
  for (std::size_t i = 0; i < total.size(); i += kChunkRows) {
    sums.fill(0);
    for (const auto& [scores, weight] : strategies)
      add_chunk(scores + i, static_cast<std::uint32_t>(weight), sums.data());
    widen(sums.data(), &total[i]);
  }
}

template <typename T>
T largest(std::span<const T> values) {
  T most = 0;
  for (std::size_t i = 0; i < values.size(); i += kChunkRows) most = std::max(most, largest_of(&values[i]));
  return most;
}

template <typename T>
std::size_t count_at_least(std::span<const T> values, T least) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); i += kChunkRows) count += count_of(&values[i], least);
  return count;
}

std::int64_t largest_without(std::span<const std::int64_t> total, const Weighted& strategy) {
  auto most = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < total.size(); i += kChunkRows)
    most = std::max(most, largest_rest_of(&total[i], strategy.scores + i, strategy.weight));
  return most;
}

template <typename T>
cluster::ChunkWords at_least(std::span<const T, kChunkRows> values, T least) {
  cluster::ChunkBytes bytes;
  mark(values.data(), least, bytes.data());
  return cluster::to_words(bytes);
}

template std::uint8_t largest(std::span<const std::uint8_t>);
template std::int64_t largest(std::span<const std::int64_t>);
template std::size_t count_at_least(std::span<const std::uint8_t>, std::uint8_t);
template std::size_t count_at_least(std::span<const std::int64_t>, std::int64_t);
template cluster::ChunkWords at_least(std::span<const std::uint8_t, kChunkRows>, std::uint8_t);
template cluster::ChunkWords at_least(std::span<const std::int64_t, kChunkRows>, std::int64_t);

}  // namespace podium::framework
