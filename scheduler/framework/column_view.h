// ColumnView: the columns that an EvaluationMemo has seen last, and when each word of 64 rows has changed.
//
// For the snapshot's own columns it holds RowChanges, which names the rows that have changed since; their
// words count as changed in each column. For other columns it holds the chunks. A held chunk is shared, so no
// writer changes it: Cow makes another one. So a chunk that is still the same has not changed, and another
// one is compared by its values.
// Owner: an EvaluationMemo. Threads: one at a time. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "scheduler/cluster/row_changes.h"
#include "scheduler/framework/row_inputs.h"

namespace podium::framework {

using Tick = std::uint64_t;  // counts looks

// What has changed in a chunk since a result was computed.
struct ChunkChange {
  std::size_t chunk = 0;
  std::uint32_t words = 0;   // in which a column has changed; bit w is word w
  bool other_nodes = false;  // other nodes are asked about
};

class ColumnView {
 public:
  // Takes over the columns as they are now. What is computed from them before the next look is of this tick.
  // `rows`: of the snapshot that has the columns that are members.
  Tick look(std::span<const RowInput> inputs, std::size_t chunks, const Cow<cluster::RowChanges>& rows = {});
  // The words of a chunk in which the columns of the last look() have changed after `since`; bit w is word w.
  std::uint32_t changed_words(std::size_t chunk, Tick since) const;

  static constexpr std::uint32_t kAllWords = (std::uint32_t{1} << cluster::kChunkWords) - 1;
  // Columns that are held. One more, and all are forgotten.
  static constexpr std::size_t kMost = 32;

 private:
  template <typename T>
  using Boxes = std::vector<typename cluster::Column<T>::Box>;
  struct Changes {
    std::vector<Tick> latest;  // by chunk
    std::vector<std::array<Tick, cluster::kChunkWords>> of_word;

    void resize(std::size_t chunks, Tick now);
    void note(std::size_t chunk, std::size_t word, Tick now) { latest[chunk] = of_word[chunk][word] = now; }
    std::uint32_t words_after(std::size_t chunk, Tick since) const;
  };
  struct Seen {
    std::uint64_t label;
    std::variant<Boxes<std::int64_t>, Boxes<std::int32_t>, Boxes<std::uint32_t>> boxes;
    Changes changes;
  };
  void take_members(std::size_t chunks, const Cow<cluster::RowChanges>& rows);
  std::size_t seen_of(const RowInput& input);
  void take(Seen& seen, const RowInput& input, std::size_t chunks);

  Tick now_ = 0;
  std::optional<Cow<cluster::RowChanges>> rows_;  // nullopt: no member was seen
  Changes of_members_;
  std::vector<Seen> seen_;
  bool looked_at_members_ = false;      // in the last look
  std::vector<std::size_t> looked_at_;  // of the last look; index into seen_
};

}  // namespace podium::framework
