// Column scans: a chunk of a column in, one bit a row out.
//
// The loops behind these functions are built twice, for baseline x86-64 and for x86-64-v3 (AVX2), and the
// loader picks; both give the same bits. Plugins stay free of anything that is about the processor.
// Threads: pure functions on values.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vector_clones.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/node_mask.h"
#include "scheduler/cluster/row_bits.h"
#include "scheduler/framework/rejections.h"

namespace podium::plugins {

using cluster::kChunkRows;
using cluster::kChunkWords;

using cluster::ChunkBytes;
using cluster::ChunkWords;

// A set of small ids (label values, taint sets), prepared for finding the rows that hold one of them.
class IdSet {
 public:
  explicit IdSet(std::size_t id_limit) : limit_(id_limit) {}  // every id is below this
  void insert(std::uint32_t id);
  bool empty() const { return ids_.empty(); }
  ChunkWords match(std::span<const std::uint32_t, kChunkRows> rows) const;

 private:
  std::size_t limit_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint8_t> table_;  // by id, 0x00 or 0xFF; only once there are too many ids to compare with
                                     // each
};

// Sets the bits of the rows where `want` is more than what is left of `allocatable`, and of those where it is
// more than all of it. Amounts are not negative.
void find_short(std::span<const std::int64_t, kChunkRows> allocatable,
                std::span<const std::int64_t, kChunkRows> used, std::int64_t want, ChunkWords& insufficient,
                ChunkWords& unresolvable);
// The rows that have no room for one more pod.
void find_full(std::span<const std::int64_t, kChunkRows> allocatable_pods,
               std::span<const std::int32_t, kChunkRows> pods, ChunkWords& full);

// Turns down the nodes of a chunk that are in the mask and whose bit is set.
void reject_chunk(cluster::NodeMask& nodes, std::size_t chunk, const ChunkWords& rows,
                  framework::VerdictId id, framework::Rejections& out);

ChunkWords chunk_of(const cluster::NodeMask& nodes, std::size_t chunk);
// Adds `amount` to the values of the rows whose bit is set.
void add_where(const ChunkWords& rows, std::int64_t amount, std::span<std::int64_t, kChunkRows> values);

// No node of that chunk is in the mask.
bool chunk_is_empty(const cluster::NodeMask& nodes, std::size_t chunk);
// The largest value among the rows of the mask, at least 0.
std::int64_t max_of(const cluster::NodeMask& nodes, std::span<const std::int64_t> values);
// out[row] = 100 * values[row] / max, exactly, for all rows whose value is within 0..max; others get
// anything.
void scale_to_100(std::span<const std::int64_t> values, std::int64_t max, std::span<std::uint8_t> out);
// out[row] = values[row], of which 0..255 are told apart.
void narrow(const std::array<std::int32_t, kChunkRows>& values, std::span<std::uint8_t> out);

// One number a row, all 0, for a sum that does not fit into a score. The thread's own, until it asks again.
std::span<std::int64_t> zeroed_scratch(std::size_t rows);

}  // namespace podium::plugins
