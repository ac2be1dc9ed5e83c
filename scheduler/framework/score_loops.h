// The loops over all rows that scoring is made of, in a form that the compiler can vectorise. Internal to this room.
//
// Threads: pure functions on arrays. All lengths are multiples of kChunkRows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/cluster/node_mask.h"

namespace podium::framework {

inline constexpr std::int64_t kMaxScore = 100;

// One byte a row, 0xff where the bit is set: the form in which the loops can apply a mask without a branch.
std::vector<std::uint8_t> bytes_of(const cluster::NodeMask& mask);

// Narrows one plugin's scores to bytes; rows outside of the mask count as 0, whatever was left there. False where a score
// inside of it is not within 0..100.
bool narrow_scores(std::span<const std::int64_t> scores, std::span<const std::uint8_t> mask,
                   std::span<std::uint8_t> narrow);

// total[row] = the sum of weight * score[row].
struct Weighted {
  const std::uint8_t* scores;
  std::int64_t weight;
};
void add_up(std::span<const Weighted> strategies, std::span<std::int64_t> total);

// The largest of each chunk.
std::vector<std::int64_t> chunk_maxima(std::span<const std::int64_t> totals);

}  // namespace podium::framework
