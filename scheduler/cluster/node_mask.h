// NodeMask: a set of nodes, one bit per row. A plain value; no thread rule of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/row_bits.h"

namespace podium::cluster {

class NodeMask {
 public:
  NodeMask() = default;
  explicit NodeMask(std::size_t chunks) : words_(chunks * kChunkWords) {}

  bool test(Row row) const { return words_[row / 64] >> (row % 64) & 1; }
  void set(Row row) { words_[row / 64] |= std::uint64_t{1} << (row % 64); }
  void clear(Row row) { words_[row / 64] &= ~(std::uint64_t{1} << (row % 64)); }

  std::size_t words() const { return words_.size(); }  // word w holds rows 64w … 64w+63
  std::uint64_t word(std::size_t w) const { return words_[w]; }
  std::uint64_t& word(std::size_t w) { return words_[w]; }
  ChunkWords chunk(std::size_t chunk) const {
    ChunkWords words;
    std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(chunk * kChunkWords), kChunkWords,
                words.begin());
    return words;
  }
  void set_chunk(std::size_t chunk, const ChunkWords& words) {
    std::ranges::copy(words, words_.begin() + static_cast<std::ptrdiff_t>(chunk * kChunkWords));
  }
  void grow_to_chunks(std::size_t chunks) {
    if (words_.size() < chunks * kChunkWords) words_.resize(chunks * kChunkWords);
  }

  std::size_t count() const;
  bool chunk_is_empty(std::size_t chunk) const {
    std::uint64_t any = 0;
    for (std::size_t w = 0; w < kChunkWords; ++w) any |= words_[chunk * kChunkWords + w];
    return any == 0;
  }
  bool none() const {
    for (const auto word : words_)
      if (word) return false;
    return true;
  }
  // `other` has at least as many words.
  NodeMask& operator&=(const NodeMask& other) {
    PODIUM_CHECK(other.words_.size() >= words_.size(), other.words_.size(), words_.size());
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
    return *this;
  }
  // Calls f(row) for each set bit, in ascending order.
  template <typename F>
  void each(F&& f) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (auto bits = words_[w]; bits; bits &= bits - 1)
        f(static_cast<Row>(w * 64 + std::countr_zero(bits)));
    }
  }
  bool operator==(const NodeMask&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

std::size_t count(const ChunkWords& words);  // the bits that are set

}  // namespace podium::cluster
