// Loops over the rows of a chunk for scoring and ranking, written so that the compiler vectorises them.
// Internal to scheduler/framework.
//
// Threads: pure functions on arrays.
#pragma once

#include <cstdint>
#include <span>

#include "scheduler/cluster/row_bits.h"
#include "scheduler/framework/row_values.h"

namespace podium::framework {

inline constexpr std::int64_t kMaxScore = 100;

// One byte per row, 0xff if the bit is set: the loops apply it without a branch.
cluster::ChunkBytes bytes_of(const cluster::ChunkWords& words);

// out[row] = the score, or 0 outside the mask.
ScoreSummary summary_of(Scores::Values scores);
ScoreSummary keep_inside(const std::uint8_t* scores, const cluster::ChunkBytes& mask, std::uint8_t* out);

// total[row] = the sum of weight * score[row].
struct Weighted {
  const std::uint8_t* scores;  // of a chunk
  std::int64_t weight;
};
TotalSummary add_up(std::span<const Weighted> strategies, Totals::Chunk& total);
TotalSummary summary_of(Totals::Values totals);
// The same for the 64 rows of a word. `summary`: of the chunk before, updated if it follows from these rows;
// else false, and it is to be found again.
bool add_up_word(std::span<const Weighted> strategies, std::size_t word, Totals::Chunk& total,
                 TotalSummary& summary);

// For scores (one byte) and totals (int64).
template <typename T>
std::size_t count_at_least(std::span<const T, cluster::kChunkRows> values, T least);
template <typename T>
cluster::ChunkWords at_least(std::span<const T, cluster::kChunkRows> values, T least);
// The largest value below `limit`; 0 if there is none.
template <typename T>
T largest_below(std::span<const T, cluster::kChunkRows> values, T limit);
// The largest total[row] - weight * score[row], and the rows that have this one.
std::int64_t largest_without(std::span<const std::int64_t, cluster::kChunkRows> total,
                             const Weighted& strategy);
cluster::ChunkWords with_rest(std::span<const std::int64_t, cluster::kChunkRows> total,
                              const Weighted& strategy, std::int64_t rest);

// Breaks ties: the hash of a pod and a node. Its start, which seldom ties, takes less to compute.
std::uint64_t tie_hash(std::uint64_t pod, std::uint64_t name);
inline constexpr std::uint64_t kAnyStart = (std::uint64_t{1} << 31) - 1;  // the largest start
// The highest first 31 bits of the hashes of all rows, or of those whose bit is set; without rows 0.
std::uint64_t highest_start(std::uint64_t pod, std::span<const std::uint64_t, cluster::kChunkRows> names);
std::uint64_t highest_start(std::uint64_t pod, std::span<const std::uint64_t, cluster::kChunkRows> names,
                            const cluster::ChunkWords& rows);
// The rows of a chunk with these first bits, whether they are asked about or not.
cluster::ChunkWords with_start(std::uint64_t pod, std::span<const std::uint64_t, cluster::kChunkRows> names,
                               std::uint64_t start);

}  // namespace podium::framework
