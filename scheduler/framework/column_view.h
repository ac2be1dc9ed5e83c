// ColumnView: the columns that an EvaluationMemo has seen last, and when each word of 64 rows has changed.
//
// It holds the chunks. A held chunk is shared, so no writer changes it: Cow makes another one. So a chunk
// that is still the same has not changed, and another one is compared by its values.
// Owner: an EvaluationMemo. Threads: one at a time. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "scheduler/framework/row_inputs.h"

namespace podium::framework {

using Tick = std::uint64_t;  // counts looks

class ColumnView {
 public:
  // Takes over the columns as they are now. What is computed from them before the next look is of this tick.
  Tick look(std::span<const RowInput> inputs, std::size_t chunks);
  // The words of a chunk in which the columns of the last look() have changed after `since`; bit w is word w.
  std::uint32_t changed_words(std::size_t chunk, Tick since) const;

  static constexpr std::uint32_t kAllWords = (std::uint32_t{1} << cluster::kChunkWords) - 1;
  // Columns that are held. One more, and all are forgotten.
  static constexpr std::size_t kMost = 32;

 private:
  template <typename T>
  using Boxes = std::vector<typename cluster::Column<T>::Box>;
  struct Changes {
    Tick latest = 0;
    std::array<Tick, cluster::kChunkWords> of_word{};
  };
  struct Seen {
    std::uint64_t label;
    std::variant<Boxes<std::int64_t>, Boxes<std::int32_t>, Boxes<std::uint32_t>> boxes;
    std::vector<Changes> changes;  // by chunk
  };
  std::size_t seen_of(const RowInput& input);
  void take(Seen& seen, const RowInput& input, std::size_t chunks);

  Tick now_ = 0;
  std::vector<Seen> seen_;
  std::vector<std::size_t> looked_at_;  // of the last look; index into seen_
};

}  // namespace podium::framework
