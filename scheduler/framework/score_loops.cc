#include "scheduler/framework/score_loops.h"

#include <array>
#include <limits>

#include "base/vector_clones.h"

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

// The sign bit of `value | (kMaxScore - value)` is set exactly for values outside of 0..100.
PODIUM_VECTOR_CLONES
std::int64_t narrow_chunk(const std::int64_t* __restrict scores, const std::uint8_t* __restrict mask,
                          std::uint8_t* __restrict narrow) {
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < kChunkRows; ++i) {
    const auto keep = static_cast<std::int64_t>(static_cast<std::int8_t>(mask[i]));
    const auto score = static_cast<std::uint64_t>(scores[i] & keep);
    outside |= static_cast<std::int64_t>(score | (kMaxScore - score));
    narrow[i] = static_cast<std::uint8_t>(score);
  }
  return outside;
}

PODIUM_VECTOR_CLONES
void add_chunk(const std::uint8_t* __restrict scores, std::uint32_t weight, std::uint32_t* __restrict sums) {
  for (std::size_t i = 0; i < kChunkRows; ++i) sums[i] += scores[i] * weight;
}

PODIUM_VECTOR_CLONES
void add_chunk_wide(const std::uint8_t* __restrict scores, std::int64_t weight, std::int64_t* __restrict sums) {
  for (std::size_t i = 0; i < kChunkRows; ++i) sums[i] += scores[i] * weight;
}

PODIUM_VECTOR_CLONES
void widen(const std::uint32_t* __restrict sums, std::int64_t* __restrict total) {
  for (std::size_t i = 0; i < kChunkRows; ++i) total[i] = sums[i];
}

PODIUM_VECTOR_CLONES
std::int64_t maximum(const std::int64_t* values) {
  std::int64_t most = values[0];
  for (std::size_t i = 1; i < kChunkRows; ++i) most = values[i] > most ? values[i] : most;
  return most;
}

}  // namespace

std::vector<std::uint8_t> bytes_of(const cluster::NodeMask& mask) {
  std::vector<std::uint8_t> bytes(mask.words() * 64);
  std::vector<std::uint64_t> words(mask.words());
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = mask.word(w);
  expand(words.data(), words.size(), bytes.data());
  return bytes;
}

bool narrow_scores(std::span<const std::int64_t> scores, std::span<const std::uint8_t> mask,
                   std::span<std::uint8_t> narrow) {
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < scores.size(); i += kChunkRows) {
    outside |= narrow_chunk(&scores[i], &mask[i], &narrow[i]);
  }
  return outside >= 0;
}

void add_up(std::span<const Weighted> strategies, std::span<std::int64_t> total) {
  std::int64_t most = 0;
  for (const auto& strategy : strategies) most += kMaxScore * strategy.weight;
  if (most > std::numeric_limits<std::uint32_t>::max()) {
    for (const auto& [scores, weight] : strategies) {
      for (std::size_t i = 0; i < total.size(); i += kChunkRows) add_chunk_wide(scores + i, weight, &total[i]);
    }
    return;
  }
  std::array<std::uint32_t, kChunkRows> sums;
  for (std::size_t i = 0; i < total.size(); i += kChunkRows) {
    sums.fill(0);
    for (const auto& [scores, weight] : strategies) add_chunk(scores + i, static_cast<std::uint32_t>(weight), sums.data());
    widen(sums.data(), &total[i]);
  }
}

std::vector<std::int64_t> chunk_maxima(std::span<const std::int64_t> totals) {
  std::vector<std::int64_t> maxima(totals.size() / kChunkRows);
  for (std::size_t c = 0; c < maxima.size(); ++c) maxima[c] = maximum(&totals[c * kChunkRows]);
  return maxima;
}

}  // namespace podium::framework
