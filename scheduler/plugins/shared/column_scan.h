// Column scans: read a chunk of a column, return one bit per row.
//
// The loops are compiled twice, for baseline x86-64 and for x86-64-v3 (AVX2). The loader picks one; both
// give the same bits. Plugins contain no processor-specific code.
// Threads: pure functions, except for zeroed_scratch(), which is per thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/cluster/column.h"
#include "scheduler/cluster/node_mask.h"
#include "scheduler/cluster/resources.h"
#include "scheduler/cluster/row_bits.h"
#include "scheduler/cluster/taint_table.h"
#include "scheduler/cluster/vector_clones.h"
#include "scheduler/framework/rejections.h"
#include "scheduler/framework/row_inputs.h"

namespace podium::plugins {

using cluster::kChunkRows;
using cluster::kChunkWords;

using cluster::ChunkBytes;
using cluster::ChunkWords;

using cluster::wrapping_minus;

// A set of small ids (label values, taint sets) that finds the rows with one of them.
class IdSet {
 public:
  explicit IdSet(std::size_t id_limit) : limit_(id_limit) {}  // every id is below this
  void insert(std::uint32_t id);
  bool empty() const { return ids_.empty(); }
  const std::vector<std::uint32_t>& ids() const { return ids_; }
  ChunkWords match(std::span<const std::uint32_t, kChunkRows> rows) const;

 private:
  std::size_t limit_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint8_t> table_;  // by id, 0x00 or 0xFF; empty while comparing with each id is faster
};

// Declares that an answer follows from whether the node's taint set is one of `ids`.
void declare_taints(const cluster::Column<cluster::TaintSetId>& sets, const IdSet& ids,
                    framework::RowInputs& inputs);

// Words of a chunk: `count` from `first` on.
struct WordRange {
  std::size_t first = 0, count = 0;
};
// The words of the chunk from the first to the last one that has a node of the mask.
WordRange words_with_nodes(const cluster::NodeMask& nodes, std::size_t chunk);
// Sets `insufficient` for the rows of these words where want > allocatable - used, and `unresolvable` for the
// rows where want > allocatable. Amounts are not negative. The bits of other rows are 0.
void find_short(std::span<const std::int64_t, kChunkRows> allocatable,
                std::span<const std::int64_t, kChunkRows> used, std::int64_t want, WordRange words,
                ChunkWords& insufficient, ChunkWords& unresolvable);
// Sets the bits of the rows of these words that cannot take one more pod.
void find_full(std::span<const std::int64_t, kChunkRows> allocatable_pods,
               std::span<const std::int32_t, kChunkRows> pods, WordRange words, ChunkWords& full);

// Rejects the nodes of a chunk that are in the mask and whose bit is set.
void reject_chunk(cluster::NodeMask& nodes, std::size_t chunk, const ChunkWords& rows,
                  framework::VerdictId id, framework::Rejections& out);

inline ChunkWords chunk_of(const cluster::NodeMask& nodes, std::size_t chunk) { return nodes.chunk(chunk); }
// Adds `amount` to the values of the rows whose bit is set.
void add_where(const ChunkWords& rows, std::int64_t amount, std::span<std::int64_t, kChunkRows> values);

// True if no node of the chunk is in the mask.
inline bool chunk_is_empty(const cluster::NodeMask& nodes, std::size_t chunk) {
  return nodes.chunk_is_empty(chunk);
}
// The largest value among the rows of the mask, at least 0.
std::int64_t max_of(const cluster::NodeMask& nodes, std::span<const std::int64_t> values);
// out[row] = 100 * values[row] / max, exactly, for rows whose value is in 0..max; unspecified for others.
void scale_to_100(std::span<const std::int64_t> values, std::int64_t max, std::span<std::uint8_t> out);
// out[row] = values[row] modulo 256.
void narrow(std::span<const std::int32_t> values, std::uint8_t* out);

// One zero per row, for sums that do not fit into a score. The memory belongs to the thread and is valid
// until its next call.
std::span<std::int64_t> zeroed_scratch(std::size_t rows);

}  // namespace podium::plugins
