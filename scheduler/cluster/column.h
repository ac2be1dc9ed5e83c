// Column<T>: one attribute of all nodes, an array in chunks that copies of a snapshot share until one writes.
//
// Copying a column copies one pointer; the first write after it copies the table of chunks and the chunk that
// it touches. So publishing a snapshot or forking it costs what changed, not what exists, and a loop over a
// chunk is a loop over a plain array that the compiler can vectorise. Chunks that nobody has written to are
// one shared chunk of T{}.
// Threads: a copy may be read on any thread; each copy has one writer, and writing to one never disturbs
// another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/cluster/cow.h"

namespace podium::cluster {

using Row = std::uint32_t;  // a node's place in every column; stable while the node exists, reused after

inline constexpr std::size_t kChunkRows = 1024;
inline constexpr std::size_t kChunkWords = kChunkRows / 64;

// kRows is smaller for columns whose elements are dear to copy.
template <typename T, std::size_t kRows = kChunkRows>
class Column {
 public:
  using Chunk = std::array<T, kRows>;

  std::size_t chunks() const { return chunks_->size(); }
  std::span<const T, kRows> chunk(std::size_t i) const { return std::span<const T, kRows>(*(*chunks_)[i]); }
  const T& operator[](std::size_t row) const { return (*(*chunks_)[row / kRows])[row % kRows]; }
  T& write(std::size_t row) { return chunks_.write()[row / kRows].write()[row % kRows]; }
  // Writes only what differs, so that an unchanged chunk stays shared.
  void set(std::size_t row, const T& value) {
    if ((*this)[row] != value) write(row) = value;
  }
  // Rows that are added hold T{}. Never shrinks.
  void grow_to(std::size_t rows) {
    const auto wanted = (rows + kRows - 1) / kRows;
    if (wanted > chunks()) chunks_.write().resize(wanted);
  }

 private:
  Cow<std::vector<Cow<Chunk>>> chunks_;
};

}  // namespace podium::cluster
