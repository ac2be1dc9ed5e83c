// Column<T>: one attribute of all nodes, as an array of chunks with copy-on-write.
//
// Copying a column copies one pointer. The first write after that copies the chunk table and the chunk
// written to, so the cost of a fork depends on its changes, not on its size. A chunk is a plain array that
// the compiler can vectorise. Chunks that were never written share one chunk of T{}.
// Threads: a copy may be read on any thread; each copy has one writer. A write never affects other copies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/cow.h"

namespace podium::cluster {

using Row = std::uint32_t;  // a node's index in every column; stable while the node exists, then reused

inline constexpr std::size_t kChunkRows = 1024;
inline constexpr std::size_t kChunkWords = kChunkRows / 64;

// kRows: rows per chunk; fewer for elements that are expensive to copy.
template <typename T, std::size_t kRows = kChunkRows>
class Column {
 public:
  using Chunk = std::array<T, kRows>;
  using Box = Cow<Chunk>;

  std::size_t chunks() const { return chunks_->size(); }
  std::span<const T, kRows> chunk(std::size_t i) const { return std::span<const T, kRows>(*(*chunks_)[i]); }
  // A copy of it keeps the chunk as it is.
  const Box& box(std::size_t i) const { return (*chunks_)[i]; }
  const T& operator[](std::size_t row) const { return (*(*chunks_)[row / kRows])[row % kRows]; }
  T& write(std::size_t row) { return chunks_.write()[row / kRows].write()[row % kRows]; }
  // Skips equal values, so that an unchanged chunk stays shared.
  void set(std::size_t row, const T& value) {
    if ((*this)[row] != value) write(row) = value;
  }
  Chunk& write_chunk(std::size_t i) { return chunks_.write()[i].write(); }
  void clear_chunk(std::size_t i) { chunks_.write()[i] = {}; }  // its rows hold T{}
  // New rows hold T{}. Never shrinks.
  void grow_to(std::size_t rows) {
    const auto wanted = (rows + kRows - 1) / kRows;
    if (wanted > chunks()) chunks_.write().resize(wanted);
  }

 private:
  Cow<std::vector<Box>> chunks_;
};

}  // namespace podium::cluster
