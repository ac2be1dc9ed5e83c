// Column<T>: one attribute of all nodes, an array in chunks that copies of a snapshot share until one writes.
//
// Copying a column copies a pointer per chunk; writing to a chunk that another copy still holds copies that chunk first.
// So publishing a snapshot or forking it costs what changed, not what exists, and a loop over a chunk is a loop over a
// plain array that the compiler can vectorise.
// Threads: a copy may be read on any thread; each copy has one writer, and writing to one never disturbs another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace podium::cluster {

using Row = std::uint32_t;  // a node's place in every column; stable while the node exists, reused after

inline constexpr std::size_t kChunkRows = 1024;
inline constexpr std::size_t kChunkWords = kChunkRows / 64;

// A copy-on-write box for one value.
template <typename T>
class Cow {
 public:
  Cow() : value_(std::make_shared<T>()) {}
  explicit Cow(T value) : value_(std::make_shared<T>(std::move(value))) {}
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  T& write() {
    // use_count is exact enough: only this copy's single writer could add a reference to a box that it alone holds.
    if (value_.use_count() != 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

 private:
  std::shared_ptr<T> value_;
};

template <typename T>
class Column {
 public:
  using Chunk = std::array<T, kChunkRows>;

  std::size_t chunks() const { return chunks_.size(); }
  std::span<const T, kChunkRows> chunk(std::size_t i) const { return std::span<const T, kChunkRows>(*chunks_[i]); }
  const T& operator[](Row row) const { return (*chunks_[row / kChunkRows])[row % kChunkRows]; }
  T& write(Row row) { return chunks_[row / kChunkRows].write()[row % kChunkRows]; }
  // Rows that are added hold T{}. Never shrinks.
  void grow_to(std::size_t rows) {
    while (chunks_.size() * kChunkRows < rows) chunks_.emplace_back(Chunk{});
  }

 private:
  std::vector<Cow<Chunk>> chunks_;
};

}  // namespace podium::cluster
