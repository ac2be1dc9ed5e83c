// RowValues: a number for each node (a score, a total), in chunks of rows that decisions share.
//
// Each chunk has a summary, so that the best rows are found without reading all others. A decision about a
// pod that is equal to an earlier one takes over the chunks that did not change.
// Threads: as Column. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow.h"
#include "scheduler/cluster/row_bits.h"

namespace podium::framework {

struct ScoreSummary {
  std::uint8_t most = 0;
  std::uint32_t count = cluster::kChunkRows;  // rows with `most`
};
struct TotalSummary {
  std::int64_t most = 0;
  std::int64_t next = 0;  // the largest below `most`; 0 if there is none
  std::uint32_t count = cluster::kChunkRows;
  cluster::ChunkWords rows{};  // those with `most`; valid if `most` is not 0
};

template <typename T, typename Summary>
class RowValues {
 public:
  using Chunk = std::array<T, cluster::kChunkRows>;
  using Values = std::span<const T, cluster::kChunkRows>;

  RowValues() = default;
  explicit RowValues(std::size_t chunks) : parts_(std::vector<Part>(chunks)) {}

  std::size_t chunks() const { return parts_->size(); }
  std::size_t size() const { return chunks() * cluster::kChunkRows; }
  bool empty() const { return parts_->empty(); }
  // True if both share their chunks: while both exist, the chunks do not change.
  bool is(const RowValues& other) const { return parts_.is(other.parts_); }
  T operator[](std::size_t row) const {
    return (*(*parts_)[row / cluster::kChunkRows].values)[row % cluster::kChunkRows];
  }
  Values chunk(std::size_t i) const { return Values(*(*parts_)[i].values); }
  const Summary& summary(std::size_t i) const { return (*parts_)[i].summary; }

  // New chunks hold zeros. Never shrinks.
  void grow_to_chunks(std::size_t chunks) {
    if (this->chunks() < chunks) parts_.write().resize(chunks);
  }
  // The values of a chunk, to be written. set_summary() follows.
  Chunk& write_chunk(std::size_t i) { return parts_.write()[i].values.write(); }
  void set_summary(std::size_t i, const Summary& summary) { parts_.write()[i].summary = summary; }

 private:
  struct Part {
    cluster::Cow<Chunk> values;
    Summary summary;
  };
  cluster::Cow<std::vector<Part>> parts_;
};

using Scores = RowValues<std::uint8_t, ScoreSummary>;
using Totals = RowValues<std::int64_t, TotalSummary>;

}  // namespace podium::framework
