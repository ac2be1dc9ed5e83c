// Loops over all rows for scoring and ranking, written so that the compiler vectorises them.
// Internal to scheduler/framework.
//
// Threads: pure functions on arrays. Lengths are multiples of kChunkRows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/cluster/node_mask.h"
#include "scheduler/cluster/row_bits.h"

namespace podium::framework {

inline constexpr std::int64_t kMaxScore = 100;

// One byte per row, 0xff if the bit is set: the loops apply it without a branch.
std::vector<std::uint8_t> bytes_of(const cluster::NodeMask& mask);

// Sets scores outside the mask to 0; returns the largest score left.
std::uint8_t keep_inside(std::span<std::uint8_t> scores, std::span<const std::uint8_t> mask);

// total[row] = the sum of weight * score[row].
struct Weighted {
  const std::uint8_t* scores;
  std::int64_t weight;
};
void add_up(std::span<const Weighted> strategies, std::span<std::int64_t> total);

// For scores (one byte) and totals (int64).
template <typename T>
T largest(std::span<const T> values);
template <typename T>
std::size_t count_at_least(std::span<const T> values, T least);
// The largest total[row] - weight * score[row].
std::int64_t largest_without(std::span<const std::int64_t> total, const Weighted& strategy);
template <typename T>
cluster::ChunkWords at_least(std::span<const T, cluster::kChunkRows> values, T least);

}  // namespace podium::framework
