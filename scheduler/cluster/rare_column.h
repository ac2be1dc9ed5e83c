// RareColumn<T>: an attribute that many nodes do not have, such as an amount of an extended resource.
//
// Users name resources and labels at will, so a name costs what was written: a chunk with few values keeps
// them as pairs of row and value. A chunk with many is an array, as in Column, and is scanned as fast. A
// chunk becomes an array while its values take a part of the array's size that is worth it, and pairs again
// when most of them are gone.
// Threads: as Column.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/cluster/column.h"

namespace podium::cluster {

template <typename T>
class RareColumn {
 public:
  using Chunk = typename Column<T>::Chunk;
  // Values that a chunk keeps as pairs. An array then takes 128 bytes for each of them.
  static constexpr std::size_t kFew = sizeof(Chunk) / 128;

  T operator[](std::size_t row) const {
    if (is_array(row / kChunkRows)) return arrays_->values[row];
    const auto at = place_of(row);
    return at != few_.end() && at->row == row ? at->value : T{};
  }
  void set(std::size_t row, const T& value) {
    if (is_array(row / kChunkRows)) return set_in_array(row, value);
    const auto at = few_.begin() + (place_of(row) - few_.begin());
    const bool is_known = at != few_.end() && at->row == row;
    if (value == T{}) {
      if (is_known) few_.erase(at);
      if (few_.empty()) few_.shrink_to_fit();
    } else if (is_known) {
      at->value = value;
    } else {
      few_.insert(at, {static_cast<Row>(row), value});
      if (few_.size() > kFew) make_array_if_many(row / kChunkRows);
    }
  }

  // The values of a chunk: as they are stored, or written into `space`.
  std::span<const T, kChunkRows> chunk(std::size_t i, Chunk& space) const {
    if (is_array(i)) return arrays_->values.chunk(i);
    const auto values = few_in(i);
    if (values.empty()) return std::span<const T, kChunkRows>(kNothing);
    fill(values, space);
    return std::span<const T, kChunkRows>(space);
  }
  // The same values as a Column; shares the arrays.
  Column<T> column(std::size_t chunks) const {
    auto column = arrays_->values;
    column.grow_to(chunks * kChunkRows);
    for (const auto& [row, value] : few_) column.write(row) = value;
    return column;
  }

 private:
  struct Entry {
    Row row;
    T value;
  };
  struct Arrays {
    Column<T> values;                   // of the chunks that are arrays
    std::vector<std::uint16_t> counts;  // rows with a value, by chunk; 0: the chunk is not an array
  };
  static constexpr Chunk kNothing{};

  bool is_array(std::size_t chunk) const {
    return chunk < arrays_->counts.size() && arrays_->counts[chunk] != 0;
  }
  auto place_of(std::size_t row) const {
    return std::ranges::lower_bound(few_, row, {}, [](const Entry& e) -> std::size_t { return e.row; });
  }
  std::span<const Entry> few_in(std::size_t chunk) const {
    if (few_.empty()) return {};
    return {place_of(chunk * kChunkRows), place_of((chunk + 1) * kChunkRows)};
  }
  static void fill(std::span<const Entry> values, Chunk& space) {
    space.fill(T{});
    for (const auto& [row, value] : values) space[row % kChunkRows] = value;
  }

  void make_array_if_many(std::size_t chunk) {
    const auto values = few_in(chunk);
    if (values.size() <= kFew) return;
    auto& arrays = arrays_.write();
    arrays.values.grow_to((chunk + 1) * kChunkRows);
    if (arrays.counts.size() <= chunk) arrays.counts.resize(chunk + 1);
    fill(values, arrays.values.write_chunk(chunk));
    arrays.counts[chunk] = static_cast<std::uint16_t>(values.size());
    const auto first = few_.begin() + (values.data() - few_.data());
    few_.erase(first, first + static_cast<std::ptrdiff_t>(values.size()));
    few_.shrink_to_fit();
  }
  void set_in_array(std::size_t row, const T& value) {
    const auto before = arrays_->values[row];
    if (before == value) return;
    const auto chunk = row / kChunkRows;
    auto& arrays = arrays_.write();
    arrays.values.write(row) = value;
    arrays.counts[chunk] += static_cast<std::uint16_t>((value != T{}) - (before != T{}));
    if (arrays.counts[chunk] <= kFew / 2) make_pairs(chunk);
  }
  void make_pairs(std::size_t chunk) {
    auto& arrays = arrays_.write();
    auto at = few_.begin() + (place_of(chunk * kChunkRows) - few_.begin());
    for (std::size_t i = 0; i < kChunkRows; ++i) {
      const auto row = chunk * kChunkRows + i;
      if (const auto value = arrays.values[row]; value != T{})
        at = few_.insert(at, {static_cast<Row>(row), value}) + 1;
    }
    arrays.counts[chunk] = 0;
    arrays.values.clear_chunk(chunk);
    if (std::ranges::all_of(arrays.counts, [](auto count) { return count == 0; })) arrays_ = {};
  }

  boost::container::small_vector<Entry, 1> few_;  // by row
  Cow<Arrays> arrays_;
};

}  // namespace podium::cluster
