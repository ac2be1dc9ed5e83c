// RowValues: a number for each node (a score, a total), in chunks of rows that decisions share.
//
// Each chunk has a summary, so that the best rows are found without reading all others. A decision about a
// pod that is equal to an earlier one takes over the chunks that did not change. A value may have a second
// part that a row's group has: then a change of all values is a change of some groups.
// Threads: as Column. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cow.h"
#include "scheduler/cluster/column.h"
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
  using Groups = Cow<cluster::ChunkBytes>;  // of the rows of a chunk
  using OfGroup = std::array<T, 256>;

  RowValues() = default;
  explicit RowValues(std::size_t chunks) : parts_(std::vector<Part>(chunks)) {}

  std::size_t chunks() const { return parts_->size(); }
  std::size_t size() const { return chunks() * cluster::kChunkRows; }
  bool empty() const { return parts_->empty(); }
  // True if both share their chunks: while both exist, the chunks do not change.
  bool is(const RowValues& other) const { return parts_.is(other.parts_); }
  T operator[](std::size_t row) const {
    const auto& part = (*parts_)[row / cluster::kChunkRows];
    const auto i = row % cluster::kChunkRows;
    return part.is_grouped ? add((*part.values)[i], (*of_group_)[(*part.groups)[i]]) : (*part.values)[i];
  }
  // The values of a chunk: as they are stored, or written into `space`.
  Values chunk(std::size_t i, Chunk& space) const {
    const auto& part = (*parts_)[i];
    if (!part.is_grouped) return Values(*part.values);
    for (std::size_t row = 0; row < space.size(); ++row)
      space[row] = add((*part.values)[row], (*of_group_)[(*part.groups)[row]]);
    return Values(space);
  }
  const Summary& summary(std::size_t i) const { return (*parts_)[i].summary; }

  // New chunks hold zeros. Never shrinks.
  void grow_to_chunks(std::size_t chunks) {
    if (this->chunks() < chunks) parts_.write().resize(chunks);
  }
  // The values of a chunk without what its groups add, to be read or written. set_summary() follows.
  Values own_chunk(std::size_t i) const { return Values(*(*parts_)[i].values); }
  Chunk& write_chunk(std::size_t i) { return parts_.write()[i].values.write(); }
  void set_summary(std::size_t i, const Summary& summary) { parts_.write()[i].summary = summary; }
  // From now on each row of the chunk also has what its group has. set_summary() follows.
  void set_groups(std::size_t i, const Groups& groups) {
    auto& part = parts_.write()[i];
    part.groups = groups;
    part.is_grouped = true;
  }
  void set_of_group(const OfGroup& of_group) { of_group_.write() = of_group; }
  const OfGroup& of_group() const { return *of_group_; }

 private:
  struct Part {
    Cow<Chunk> values;
    Groups groups;
    bool is_grouped = false;
    Summary summary;
  };
  static T add(T a, T b) {  // wraps
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }

  Cow<std::vector<Part>> parts_;
  Cow<OfGroup> of_group_;
};

using Scores = RowValues<std::uint8_t, ScoreSummary>;
using Totals = RowValues<std::int64_t, TotalSummary>;

}  // namespace podium::framework
